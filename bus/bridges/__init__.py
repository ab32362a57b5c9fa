"""How is a session shown in other viewers: Rerun, Foxglove, PlotJuggler?"""
