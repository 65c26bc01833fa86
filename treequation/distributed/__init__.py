"""Beyond one machine: folders of problems, repeated trainings and the service, on many processors at once.

The engine is Ray; this package holds what Treequation needs to say to it, and nothing that Ray has already. Solving
folders also works without Ray, with the processors of one machine and through the same interface.
"""
