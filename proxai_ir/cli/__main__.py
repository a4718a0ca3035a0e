"""`python -m proxai_ir.cli`."""

import sys

from . import main

sys.exit(main())
