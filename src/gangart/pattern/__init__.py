"""How does the body move over the feet?"""
