"""MMC and GMMC: maximum margin clustering as a semidefinite program."""
