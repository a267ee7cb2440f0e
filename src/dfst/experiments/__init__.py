"""The DFST beside other learners: rivals, one protocol, many trainings at once."""
