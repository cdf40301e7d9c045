-- A registration of a visitor who has not verified the mailbox never prevents that of its owner, finished or not. A person is unique among the
-- registrations whose mailbox is verified. The new index covers fewer rows than the old one, so that it cannot fail.
drop index participants_once;
create unique index participants_once on participants (tenant_id, event_id, name_norm, coalesce(email_norm, host_id))
  where status <> 'cancelled' and not is_test_data and first_name is not null and last_name is not null and not email_unverified;
-- The finished registrations that are cancelled once the owner of the mailbox has finished another.
create index participants_unverified on participants (tenant_id, event_id, email_norm)
  where email_unverified and status in ('complete', 'waitlisted');

/*
 * The owner of a mailbox has proved access to it. Marks their registrations as verified and ends the sessions of unknown visitors on them.
 * `mailbox` selects all registrations with that address except those that other visitors have only started. `named` adds the registration that
 * the owner started or opened. One registration of each person is verified: the named one, then one with a payment, then the earliest. None is
 * if the person has a verified registration already. As long as the named one has no name, no other registration can be told from it, so that
 * only the named one is verified.
 */
create or replace function registrations_verify(tenant integer, event text, mailbox text, named text) returns void language plpgsql as $$
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
  from (
    select q.id, q.is_unique, row_number() over (
      partition by q.is_unique, case when q.is_unique then q.name_norm || '|' || coalesce(q.email_norm, q.host_id) else q.id end
      order by q.id is distinct from named, not q.is_paid, q.completed_at nulls last, q.id) as place
    from (
      select u.*, u.status <> 'cancelled' and not u.is_test_data and u.first_name is not null and u.last_name is not null as is_unique,
        exists (select from orders o where o.tenant_id = tenant and o.event_id = event and o.participant_id = u.id and o.paid > 0) as is_paid
      from participants u
      where u.tenant_id = tenant and u.event_id = event and u.id = any(ids) and u.email_unverified) q) r
  where p.tenant_id = tenant and p.event_id = event and p.id = r.id and r.place = 1
    and (p.id = named or not exists (
      select from participants n
      where n.tenant_id = tenant and n.event_id = event and n.id = named and n.id = any(ids) and n.status = 'incomplete'
        and (n.first_name is null or n.last_name is null)))
    and not (r.is_unique and exists (
      select from participants o
      where o.tenant_id = tenant and o.event_id = event and o.id <> p.id and o.name_norm = p.name_norm
        and coalesce(o.email_norm, o.host_id) = coalesce(p.email_norm, p.host_id) and o.status <> 'cancelled' and not o.is_test_data
        and o.first_name is not null and o.last_name is not null and not o.email_unverified));
  delete from person_sessions s
  where s.tenant_id = tenant and s.event_id = event and not s.verified and s.participant_ids && ids;
exception when unique_violation then
  -- Two registrations of the same person were verified concurrently. The transaction is retried and finds the other one.
  raise exception 'the person was registered by a concurrent transaction' using errcode = 'serialization_failure';
end $$;
