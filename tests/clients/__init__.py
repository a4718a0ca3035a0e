"""Official clients and agent frameworks talk to providers of other protocols, through the proxy of spec/exchange.md.

They use transports inside this process; nothing is sent anywhere. A provider is strict: it refuses what the model of
its server refuses (`tests/servers`). The packages are the optional dependencies `clients`; without them tests skip.
"""
