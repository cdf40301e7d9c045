-- The key by which email addresses are compared. Only A to Z are lower-cased, whatever the locale of the database: lower() of other locales maps the
-- Kelvin sign (U+212A) to k and U+0130 to i, so that two mailboxes had one key. `foldEmail` of kernel/email-address.ts returns the same keys.
create function lanyard_fold_email(address text) returns text language sql immutable parallel safe return lower(address collate "C");

-- Old keys were the same or coarser, so that no unique index can fail here.
drop trigger participants_left_contact on participants;

alter table users drop column email_norm, add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
alter table users add unique (tenant_id, email_norm);
create index users_of_email on users (email_norm);
create unique index users_signing_in on users (email_norm) where password_hash is not null;

alter table participants drop column email_norm, add column email_norm text collate "C" generated always as (lanyard_fold_email(email)) stored;
create index participants_of_email on participants (tenant_id, event_id, email_norm);
create unique index participants_once on participants (tenant_id, event_id, name_norm, coalesce(email_norm, host_id))
  where status <> 'cancelled' and not is_test_data and first_name is not null and last_name is not null
    and not (email_unverified and status = 'incomplete');
create trigger participants_left_contact after update of contact_id, email on participants for each row
when (old.contact_id is not null and (old.contact_id, old.email_norm) is distinct from (new.contact_id, new.email_norm))
execute function participants_leave_contact();

alter table group_admins drop column email_norm, add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
alter table group_admins add primary key (tenant_id, event_id, group_id, email_norm);
create index group_admins_of_email on group_admins (tenant_id, event_id, email_norm);

alter table group_invites drop column email_norm, add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
create unique index group_invites_open on group_invites (tenant_id, event_id, group_id, email_norm, role) where status in ('queued', 'sent');

alter table invite_list_entries drop column email_norm,
  add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
alter table invite_list_entries add unique (tenant_id, event_id, flow_slug, email_norm);

alter table exhibitor_staff drop column email_norm,
  add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
create unique index exhibitor_staff_once on exhibitor_staff (tenant_id, event_id, company_id, email_norm) where status <> 'removed';
create index exhibitor_staff_of_email on exhibitor_staff (tenant_id, event_id, email_norm);

alter table speakers drop column email_norm, add column email_norm text collate "C" not null generated always as (lanyard_fold_email(email)) stored;
alter table speakers add unique (tenant_id, event_id, email_norm);

alter table contact_emails drop column address_norm,
  add column address_norm text collate "C" not null generated always as (lanyard_fold_email(address)) stored;
alter table contact_emails add unique (tenant_id, contact_id, address_norm), add primary key (tenant_id, client_id, address_norm, place);

drop index messages_to;
create index messages_to on messages (tenant_id, event_id, lanyard_fold_email(to_address), id) where event_id is not null;

-- The functions that match contacts by their addresses, unchanged except for the key.
do $$
declare
  matching record;
begin
  for matching in select pg_get_functiondef(p.oid) as source, p.proname from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and p.proname in ('contact_canonical_email', 'contact_is_role_email', 'contact_email_weight') loop
    execute replace(matching.source, 'lower(', 'lanyard_fold_email(');
  end loop;
  execute replace(pg_get_functiondef('contact_of_person'::regproc), 'address_norm = lower(given)', 'address_norm = lanyard_fold_email(given)');
end $$;
