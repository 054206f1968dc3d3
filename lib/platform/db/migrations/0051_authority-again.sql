-- Whether somebody was taken away for good, or is disabled for a while, decides what an invitation elsewhere may change of them.
GRANT SELECT (removed_at) ON members TO console_sign_in;
