"""The capability matrix, the page of each pair of protocols, and the specification that they cite."""
