"""Angle sensors on the joint's side of the gearbox (the Nao's hall sensors, Urbann 2.1).

A controller sees what its sensor sees: the motor's angle and what the gear has given way. MuJoCo's actuators measure
where they push, at the motor, so the gear's angle and speed are taken off the setpoints instead, which is the same
error u - (q_motor + q_gear). It has to happen within every physics step: a compiled control callback does it, which
also runs inside `mujoco.rollout` and `mujoco.batch`. Since it changes the setpoints themselves, they have to be
written anew for every step, as a rollout does.
"""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import mujoco
from numba import carray, cfunc, types  # type: ignore[attr-defined]  # numba's stubs forget carray
from numba.extending import intrinsic

from gangart.simulation.callbacks import Installed

# what an actuator's user data say: where its gear's hinge stands in qpos and qvel, both counted from 1 (0: no gear
# that it has to see), and the factor of the speed in its setpoint
USER = 3


def see_joint_side(model: mujoco.MjModel, actuator: str, gear: str, factor: float) -> None:
    """Let an actuator's controller measure at the joint, behind the hinge of its gear."""
    joint = model.joint(gear)
    model.actuator_user[model.actuator(actuator).id] = [joint.qposadr[0] + 1, joint.dofadr[0] + 1, factor]


def encoders(*models: mujoco.MjModel) -> AbstractContextManager[None]:
    """While physics runs: controllers of models whose actuators are marked so see their joint's side.

    The answer can be entered again and again.
    """
    marked = any(m.nuser_actuator == USER and m.actuator_user[:, 0].any() for m in models)
    return _installed if marked else nullcontext()


def _callback() -> Any:
    """The compiled callback: takes each marked gear's angle and speed off its actuator's setpoints."""
    places = _places()
    count, size, user, qpos, qvel, ctrl, address = (
        places[k] for k in ("nactuator", "nuser_actuator", "actuator_user", "qpos", "qvel", "ctrl", "actuator_ctrladr")
    )
    model_words, data_words = max(size, user, address) + 1, max(qpos, qvel, ctrl) + 1

    @cfunc(types.void(types.intp, types.intp), cache=False)
    def correct(model: int, data: int) -> None:
        of_model, of_data = carray(_longs(model), model_words), carray(_longs(data), data_words)
        if of_model[size] != USER:  # somebody else's model
            return
        actuators = of_model[count]
        marked = carray(_reals(of_model[user]), actuators * USER)
        first = carray(_ints(of_model[address]), actuators)
        angles, speeds, setpoints = _reals(of_data[qpos]), _reals(of_data[qvel]), _reals(of_data[ctrl])
        for i in range(actuators):
            q = int(marked[i * USER])
            if q > 0:
                k, v = first[i], int(marked[i * USER + 1])
                u = carray(setpoints, k + 2)
                u[k] -= carray(angles, q)[q - 1]
                u[k + 1] -= carray(speeds, v)[v - 1] * marked[i * USER + 2]

    found = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(int(correct.address or 0))
    found.compiled = correct  # type: ignore[attr-defined]  # the code lives as long as the callback
    return found


_installed = Installed(mujoco.get_mjcb_control, mujoco.set_mjcb_control, _callback)


def _places() -> dict[str, int]:
    """Word numbers of what the callback needs in MuJoCo's structs, found in a model where every array is different."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><size nuser_actuator="3"/><worldbody><body><joint name="a" armature="1"/><joint name="b"/>'
        '<geom size="0.1"/></body></worldbody><actuator><dcmotor joint="a" motorconst="1 1" resistance="1" '
        'inductance="0.1 0" input="pos vel" controller="1 1 1 0 0 1" user="0 0 0"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    found = {name: list(mujoco.MjModel._all_fields).index(name) for name in ("nactuator", "nuser_actuator")}
    for struct, names in ((model, ("actuator_user", "actuator_ctrladr")), (data, ("qpos", "qvel", "ctrl"))):
        for name in names:
            found[name] = _word_of(struct, getattr(struct, name).ctypes.data)
    if [_struct(model)[found[name]] for name in ("nactuator", "nuser_actuator")] != [1, USER]:
        raise RuntimeError(f"MuJoCo {mujoco.__version__} lays out its model in an unknown way")
    return found


def _struct(of: Any) -> Any:
    return (ctypes.c_uint64 * 65536).from_address(of._address)


def _word_of(struct: Any, pointer: int) -> int:
    """The last word that holds a pointer: an empty array shares the address of the one that follows it."""
    words = _struct(struct)
    first = next(i for i in range(65536) if words[i] == pointer)
    return max(i for i in range(first, first + 16) if words[i] == pointer)


def _cast(pointed: Any) -> Any:
    @intrinsic
    def to_pointer(_: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(pointed)(types.intp), generate

    return to_pointer


_reals, _ints, _longs = _cast(types.float64), _cast(types.int32), _cast(types.int64)
