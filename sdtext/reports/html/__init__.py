"""HTML reports: self-contained pages that ask nothing of the network.

`report_page` fills templates and writes the file; the other modules make the data of a page each.
Templates extend `base.html`, which has the head, the policy, the header, the problems, the
parameters and the footer. The style sheet `base.css` names all colours as variables.
"""
