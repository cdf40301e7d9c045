import { INCREMENT_RATE_LIMIT_SQL, buildBadgeHoldersSql } from '../scan-sql.ts'
import { DEVICE_LEAD_COLUMNS } from './device-lead.ts'
import { RESTORED_LEAD_STATUS } from '../states.ts'

/** SQL statements for a batch of captures (badge scans of a device). Each statement runs once per batch of any size. */

/**
 * Locks the device row for the transaction, so that the same batch sent twice concurrently is stored once. Skips the row of a revoked
 * device.
 */
export const LOCK_DEVICE_SQL = `
update lead_devices d set last_seen_at = case when d.status = 'active' then lanyard_now() else d.last_seen_at end,
  clock_skew_ms = case when d.status = 'active' then coalesce($4::integer, d.clock_skew_ms) else d.clock_skew_ms end,
  app_version = case when d.status = 'active' then coalesce($5::text, d.app_version) else d.app_version end
where d.tenant_id = $1 and d.event_id = $2 and d.id = $3
returning d.revoked_at`

/** Selects the nonces of the company's ($3) stored captures, to recognize scans that were sent before. */
export const SELECT_KNOWN_NONCES_SQL = `
select c.nonce from lead_captures c where c.tenant_id = $1 and c.event_id = $2 and c.company_id = $3 and c.nonce = any($4::text[])`

/** Finds the participant for each capture ($3): the first of its badge ids ($4) that matches a completed, real registration. */
export const SELECT_PARTICIPANTS_SQL = `
select f.capture, p.id, p.badge_id from (
  select distinct on (named.capture) named.capture, w.id
  from (select $1::integer as tenant_id, $2::text as event_id) at
  cross join unnest($3::integer[], $4::text[], $5::boolean[]) with ordinality as named (capture, badge_id, any_case, rank)
  cross join lateral (${buildBadgeHoldersSql('at')}) w
  order by named.capture, named.rank, w.spelled) f
join participants p on p.tenant_id = $1 and p.event_id = $2 and p.id = f.id
where p.status = 'complete' and not p.is_test_data`

export const SELECT_STAFF_SQL = `
select s.id, s.email_norm from exhibitor_staff s
where s.tenant_id = $1 and s.event_id = $2 and s.company_id = $3 and s.email_norm = any($4::text[]) and s.status <> 'removed'`

/** Inserts the leads and captures of a batch, in participant order so that two batches cannot deadlock. */
export const INSERT_LEADS_AND_CAPTURES_SQL = `
with lead as (
  insert into leads (tenant_id, event_id, id, company_id, participant_id, is_test_data, source)
  select $1::integer, $2::text, n.id, $3::text, n.participant_id, false, 'device' from unnest($4::text[], $5::text[]) as n (id, participant_id) order by n.participant_id
  on conflict on constraint leads_once do update set status = '${RESTORED_LEAD_STATUS}'
  returning id, participant_id, id = any($4::text[]) as made, rating, notes, tags, qualifiers, staff_id
), captured as (
  insert into lead_captures (tenant_id, event_id, id, lead_id, company_id, type, at, device_id, staff_id, nonce)
  select $1::integer, $2::text, s.id, l.id, $3::text, 'device', s.at, $11::text, s.staff_id, s.nonce
  from unnest($6::text[], $7::text[], $8::timestamptz[], $9::text[], $10::text[]) as s (id, participant_id, at, staff_id, nonce)
  join lead l on l.participant_id = s.participant_id
  on conflict on constraint lead_captures_nonce do nothing
  returning id
)
select l.id, l.participant_id, l.made, l.rating, l.notes, l.tags, l.qualifiers, l.staff_id, (select count(*)::int from captured) as captured from lead l`

export const UPDATE_LEAD_NOTES_SQL = `
update leads l set rating = n.rating, notes = n.notes, tags = array(select jsonb_array_elements_text(n.tags)), qualifiers = n.qualifiers, staff_id = n.staff_id
from jsonb_to_recordset($3::jsonb) as n (id text, rating integer, notes text, tags jsonb, qualifiers jsonb, staff_id text)
where l.tenant_id = $1 and l.event_id = $2 and l.id = n.id`

/** Selects the leads of the given captures, after all writes of the batch. */
export const SELECT_CAPTURED_LEADS_SQL = `
select c.nonce, ${DEVICE_LEAD_COLUMNS}
from lead_captures c
join leads l on l.tenant_id = c.tenant_id and l.event_id = c.event_id and l.id = c.lead_id
join participants p on p.tenant_id = l.tenant_id and p.event_id = l.event_id and p.id = l.participant_id
where c.tenant_id = $1 and c.event_id = $2 and c.company_id = $3 and c.nonce = any($4::text[])`

/** Counts failed scans per event and hour. */
export const COUNT_FAILED_SCANS_SQL = `
insert into rate_windows as w (key, window_start, count) values ('lead-failures:' || $1::text, date_trunc('hour', lanyard_now()), $2::integer)
${INCREMENT_RATE_LIMIT_SQL}
returning w.count`
