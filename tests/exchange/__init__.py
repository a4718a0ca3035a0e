"""`proxai_ir.Exchange`: what a proxy sends upstream and what its clients get, for every pair of protocols, by hand."""
