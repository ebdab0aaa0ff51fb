"""PMMC and its rivals CPCMMC and CPMMC: margins under links, minimised by the CCCP."""
