-- A registration that was started on a public page belongs to an unknown visitor until the owner of its email address has verified the mailbox.
-- Registrations from other sources, and all existing ones, count as verified.
alter table participants add column email_unverified boolean not null default false;

-- Several visitors may start a registration for the same person. Uniqueness applies once a registration is verified or finished.
drop index participants_once;
create unique index participants_once on participants (tenant_id, event_id, name_norm, coalesce(email_norm, host_id))
  where status <> 'cancelled' and not is_test_data and first_name is not null and last_name is not null
    and not (email_unverified and status = 'incomplete');

-- Whether the session proves access to the mailbox. Existing sessions do not record it, so they end: their owners sign in again with a code.
delete from person_sessions where kind = 'person';
alter table person_sessions add column verified boolean not null default true;
alter table person_sessions alter column verified drop default;
create index person_sessions_unverified on person_sessions (tenant_id, event_id) where not verified;

/*
 * The owner of a mailbox has proved access to it. Marks their registrations as verified and ends the sessions of unknown visitors on them.
 * `mailbox` selects all registrations with that address except those that other visitors have only started. `named` adds one registration.
 * A started registration stays unverified if the same person already has another one.
 */
create function registrations_verify(tenant integer, event text, mailbox text, named text) returns void language plpgsql as $$
declare
  ids text[];
begin
  ids := array(
    select p.id from participants p
    where p.tenant_id = tenant and p.event_id = event
      and (p.id = named or (p.email_norm = lanyard_fold_email(mailbox) and not (p.email_unverified and p.status = 'incomplete')))
      and (mailbox is null or p.email_norm = lanyard_fold_email(mailbox))
    order by p.id);
  update participants p set email_unverified = false
  where p.tenant_id = tenant and p.event_id = event and p.id = any(ids) and p.email_unverified
    and not (p.status = 'incomplete' and not p.is_test_data and p.first_name is not null and p.last_name is not null and exists (
      select from participants o
      where o.tenant_id = tenant and o.event_id = event and o.id <> p.id and o.name_norm = p.name_norm
        and coalesce(o.email_norm, o.host_id) = p.email_norm and o.status <> 'cancelled' and not o.is_test_data
        and o.first_name is not null and o.last_name is not null and not (o.email_unverified and o.status = 'incomplete')));
  delete from person_sessions s
  where s.tenant_id = tenant and s.event_id = event and not s.verified and s.participant_ids && ids;
exception when unique_violation then
  -- Two registrations of the same person were verified concurrently. The transaction is retried and finds the other one.
  raise exception 'the person was registered by a concurrent transaction' using errcode = 'serialization_failure';
end $$;

-- The network of the visitor who started the registration, as a keyed hash, and the time of its first hold: both limit holds.
alter table registration_progress
  add column network text collate "C",
  add column held_since timestamptz;
create index registration_progress_of_network on registration_progress (tenant_id, event_id, network) where network is not null;
