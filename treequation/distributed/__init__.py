"""Work on many processors or machines: folders of problems, repeated training runs, and the service.

The engine is Ray; this package only connects Treequation to it. Folders can also be solved without Ray, on the
processors of one machine, through the same interface.
"""
