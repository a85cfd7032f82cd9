"""Reading package indexes over the network, bounded, for `rocmlint stack update`."""
