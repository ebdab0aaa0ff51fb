"""PMMC, CPCMMC and CPMMC: maximum margin clustering by the CCCP."""
