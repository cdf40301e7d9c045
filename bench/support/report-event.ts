import type { Pool } from '../../src/kernel/ports.ts'
import { fillTable, loadRegistrations, runLoading } from './many-registrations.ts'

export interface ReportEvent {
  tenantId: number
  clientId: string
  eventId: string
  /** The number of participants of the event. */
  people: number
  /** The number of other events of the client. The ledger entries are divided among them. */
  events: number
  entries: number
}

const QUESTIONS = [
  { code: 'score', name: 'Would you recommend us?', type: 'nps' },
  { code: 'stars', name: 'How was it?', type: 'rating' },
  { code: 'liked', name: 'What did you like?', type: 'choice', choices: ['talks', 'food', 'people'].map((code) => ({ code, name: code })) },
  { code: 'words', name: 'What else?', type: 'text' },
]

/** Builds the configuration of the event with this many custom fields, of which the first one is answered. */
export const reportDocument = (customFields: number) => ({
  details: { name: 'Large', startsOn: '2027-05-11', endsOn: '2027-05-13' },
  tags: ['vip', 'member', 'press'].map((code) => ({ code, name: code })),
  customFields: Array.from({ length: customFields }, (_, field) => ({
    code: field === 0 ? 'trade' : `question-${field}`,
    name: `Question ${field}`,
    responseType: 'choice',
    choices: Array.from({ length: 12 }, (_, n) => ({ code: `c${n}`, name: `Choice ${n}` })),
    personal: false,
  })),
  onsite: { gates: ['main', 'hall'].map((code) => ({ code, name: code })) },
  flows: [{ slug: 'flow-0', name: 'Registration', pages: [{ code: 'all', widgets: [{ id: 'name', type: 'name' }] }] }],
  surveys: [{ code: 'after', name: 'After the event', questions: QUESTIONS }],
})

const EVENTS = `
insert into events (tenant_id, id, client_id, code, name, status, timezone, starts_on, ends_on, city, country, currency)
select $1, 'e' || lpad(to_hex(n), 23, '0'), $2, 'fair-' || translate((n / 10)::text, '0123456789', 'abcdefghij') || '-' || 2020 + n % 10, 'Fair ' || n, 'published',
  (array['Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])[1 + n % 3], date '2020-03-01' + 365 * (n % 10), date '2020-03-03' + 365 * (n % 10), 'Berlin', 'DE',
  (array['EUR', 'USD', 'GBP'])[1 + n % 3]
from generate_series(1, $3::int) n`

const ENTRIES = `
insert into ledger_entries (tenant_id, event_id, order_id, is_test_data, kind, amount, source_id, at, by)
select $1, 'e' || lpad(to_hex(1 + n % $2::int), 23, '0'), 'o' || n / 2, false, case when n % 2 = 0 then 'invoice' else 'payment' end,
  case when n % 2 = 0 then 1 else -1 end * (5000 + n % 997), 'o' || n / 2, timestamptz '2024-01-01' + make_interval(mins => n % 1500000), 'bench'
from generate_series($3::int, $4::int) n`

const SESSIONS = `
insert into sessions (tenant_id, event_id, id, code, title, track_code, format_code, starts_at, ends_at, status)
select $1, $2, lpad(to_hex(s), 24, '0'), 'session-' || s, 'Session ' || s, 'track-' || s % 8, 'talk', t.at, t.at + interval '45 minutes', 'scheduled'
from generate_series(1, 200) s cross join lateral (select timestamptz '2027-05-11 07:00Z' + make_interval(days => s % 3, hours => s % 8) as at) t`

/**
 * Inserts seven scans of each person who came: in at the gate, a session, another session without an exit, the hall, and out at the gate.
 */
const SCANS = `
insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, gate_code, session_id, direction, at, method, device_name, result, reason, received_at,
  created_at, updated_at)
select $1, $2, lpad(to_hex(n::bigint * 8 + k.scan), 24, '0'), lpad(to_hex(n), 24, '0'), k.scope,
  case when k.scope = 'gate' then k.place end, case when k.scope = 'session' then lpad(to_hex(t.session), 24, '0') end, k.direction,
  case when k.scope = 'gate' then t.day else t.starts end + make_interval(hours => k.hours, secs => (n::bigint * k.step) % k.range), 'scan', 'Door ' || n % 20,
  case when k.scan = 5 and n % 50 = 0 then 'refused' when k.scan = 5 and n % 49 = 0 then 'duplicate' else 'accepted' end, case when k.scan = 5 and n % 50 = 0 then 'noAccess' end,
  (select lanyard_now()), (select lanyard_now()), (select lanyard_stamp())
from generate_series($3::int, $4::int) n
cross join (values (1, 'gate', 'main', 'in', 0, 7919, 14400), (2, 'session', '', 'in', 0, 31, 1200), (3, 'session', '', 'out', 1, 17, 1200),
  (4, 'session', '', 'in', 0, 13, 1200), (5, 'gate', 'hall', 'in', 5, 101, 3600), (6, 'gate', 'hall', 'out', 7, 103, 3600),
  (7, 'gate', 'main', 'out', 8, 104729, 14400)) k(scan, scope, place, direction, hours, step, range)
cross join lateral (select s.session, timestamptz '2027-05-11 06:00Z' + make_interval(days => n % 3) as day,
  timestamptz '2027-05-11 07:00Z' + make_interval(days => s.session % 3, hours => s.session % 8) as starts
  from (select 3 * ((n / 3) % 60 + case when k.scan = 4 then 2 else 1 end) + n % 3 as session) s) t
where n % 20 < 16 and n % 20 <> 5`

const ARRIVALS = `
insert into attendance_people (tenant_id, event_id, participant_id, checked_in_at, on_site, site_at)
select s.tenant_id, s.event_id, s.participant_id, min(s.at) filter (where s.direction = 'in'), false, max(s.at) filter (where s.scope <> 'session')
from attendance_scans s where s.tenant_id = $1 and s.event_id = $2 and s.result = 'accepted' group by 1, 2, 3`

const SCAN_FIGURES = `
insert into attendance_figures (tenant_id, event_id, from_at, scope, gate_code, direction, result, reason, overridden, shard, scans)
select s.tenant_id, s.event_id, date_bin('5 minutes', s.at, timestamptz '2000-01-01 00:00:00Z'), s.scope, coalesce(s.gate_code, ''), s.direction, s.result,
  coalesce(s.reason, ''), false, 0, count(*)
from attendance_scans s where s.tenant_id = $1 and s.event_id = $2 group by 1, 2, 3, 4, 5, 6, 7, 8`

/** Inserts survey invitations to three fifths of the participants; half of those respond. */
const INVITES = `
insert into survey_invites (tenant_id, event_id, id, survey_code, participant_id, token_hash, status, sent_at, responded_at, created_at,
  updated_at)
select $1, $2, lpad(to_hex(n), 24, '0'), 'after', lpad(to_hex(n), 24, '0'), sha256(('t' || n)::bytea),
  case when n % 2 = 0 then 'completed' when n % 14 = 1 then 'bounced' else 'delivered' end, timestamptz '2027-05-14',
  case when n % 2 = 0 then timestamptz '2027-05-15' end, (select lanyard_now()), (select lanyard_now())
from generate_series(1, $3::int) n where n % 5 < 3`
const RESPONSES = `
insert into survey_responses (tenant_id, event_id, id, survey_code, is_anonymous, participant_id, invite_id, status, started_at, completed_at, locale, flow_slug,
  tags, shown, created_at, updated_at)
select $1, $2, lpad(to_hex(n), 24, '0'), 'after', false, lpad(to_hex(n), 24, '0'), lpad(to_hex(n), 24, '0'), 'complete', t.at, t.at, 'en', 'flow-' || n % 30,
  '{}', '{score,stars,liked,words}', t.at, t.at
from generate_series(2, $3::int, 2) n cross join lateral (select timestamptz '2027-05-14' + make_interval(secs => n % 700000) as at) t where n % 5 < 3`
const ANSWERS = `
insert into survey_answers (tenant_id, event_id, response_id, question_code, type, is_personal, rating, nps, choice, text, terms)
select $1, $2, lpad(to_hex(n), 24, '0'), q.code, q.type, q.type = 'text', case when q.type = 'rating' then 1 + n % 5 end,
  case when q.type = 'nps' then (n / 2) % 11 end, case when q.type = 'choice' then (array['talks', 'food', 'people'])[1 + n % 3] end,
  case when q.type = 'text' then 'Great talks in hall ' || n % 40 end, case when q.type = 'text' then array['great', 'talks', 'great talks', 'hall ' || n % 40] end
from generate_series(2, $3::int, 2) n
cross join (values ('score', 'nps'), ('stars', 'rating'), ('liked', 'choice'), ('words', 'text')) q(code, type)
where n % 5 < 3 and (q.type <> 'text' or n % 4 = 0)`

const STEP = 100_000

/** Calls `load` for each range of a hundred thousand row numbers, so that no statement handles too many rows. */
async function inSteps(all: number, load: (from: number, until: number) => Promise<unknown>): Promise<void> {
  for (let from = 1; from <= all; from += STEP) await load(from, Math.min(all, from + STEP - 1))
}

/** Fills an event with participants, orders, scans and survey responses, and other events of the client with ledger entries. */
export async function loadReportEvent(pool: Pool, event: ReportEvent): Promise<void> {
  const { tenantId, clientId, eventId, people, events, entries } = event
  await runLoading(pool, async (run) => {
    await run(EVENTS, [tenantId, clientId, events])
    await run(SESSIONS, [tenantId, eventId])
    await run('vacuum analyze events, sessions')
  })
  const others = Array.from({ length: events }, (_, n) => `e${(n + 1).toString(16).padStart(23, '0')}`)
  const ordering = Math.min(people, 999_999)
  await loadRegistrations(
    pool,
    { tenantId, eventIds: [eventId, ...others], large: people, all: Math.ceil(people * 1.1), ordering, lines: 4, answers: true },
    {
      loadEntries: (run) => inSteps(entries, (from, until) => run(ENTRIES, [tenantId, events, from, until])),
      loads: [() => loadScans(pool, event), ...loadSurvey(pool, event)],
    },
  )
}

async function loadScans(pool: Pool, { tenantId, eventId, people }: ReportEvent): Promise<void> {
  await fillTable(pool, 'attendance_scans', (run) => inSteps(people, (from, until) => run(SCANS, [tenantId, eventId, from, until])))
  await fillTable(pool, 'attendance_people', (run) => run(ARRIVALS, [tenantId, eventId]))
  await fillTable(pool, 'attendance_figures', (run) => run(SCAN_FIGURES, [tenantId, eventId]))
}

const loadSurvey = (pool: Pool, { tenantId, eventId, people }: ReportEvent) =>
  Object.entries({ survey_answers: ANSWERS, survey_invites: INVITES, survey_responses: RESPONSES }).map(
    ([table, statement]) =>
      () =>
        fillTable(pool, table, (run) => run(statement, [tenantId, eventId, people])),
  )
