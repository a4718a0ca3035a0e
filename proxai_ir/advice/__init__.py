"""Find by trial which changes to a conversion remove a finding; none is listed by hand."""
