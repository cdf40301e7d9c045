-- Codes for people on the list of a form that is by invitation: a purpose of their own, so that no other page tells whether there is one.
alter table one_time_codes drop constraint one_time_codes_purpose_check;
alter table one_time_codes add constraint one_time_codes_purpose_check
  check (purpose in ('assistant', 'web', 'company', 'groupAdmin', 'signer', 'report', 'invite'));
