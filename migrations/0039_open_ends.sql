-- Codes for people on the list of a form that is by invitation: a purpose of their own, so that no other page tells whether there is one.
alter table one_time_codes drop constraint one_time_codes_purpose_check;
alter table one_time_codes add constraint one_time_codes_purpose_check
  check (purpose in ('assistant', 'web', 'company', 'groupAdmin', 'signer', 'report', 'invite'));

-- That somebody was told to secure their room; of each deadline they are told once.
alter table reservations add column guarantee_reminded_at timestamptz;

-- The code of which somebody's registration is one use, whoever pays for it.
alter table participants add column discount_code text collate "C";
update participants p set discount_code = o.discount_code from orders o
where o.tenant_id = p.tenant_id and o.event_id = p.event_id and o.participant_id = p.id and o.discount_code is not null and p.status = 'complete';
