import { expect } from 'vitest'

/** A data change that violates an integrity rule of the exhibition. `{name}` stands for the id with that name. */
interface Break {
  rule: string
  what: string
  /** The database constraint or trigger that enforces the rule; null if only application code enforces it. */
  guard: { off: string; named: string } | null
  change: string
  /** The violations that the integrity check reports after the change. */
  shows: Record<string, string[]>
}

const dropIndex = (name: string) => ({ off: `drop index ${name}`, named: name })
const dropConstraint = (table: string, name: string, error = name) => ({
  off: `alter table ${table} drop constraint ${name}`,
  named: error,
})
const disableTriggers = (table: string, error: string) => ({ off: `alter table ${table} disable trigger all`, named: error })
const copy = (table: string, changes: Record<string, string>, where: string) => {
  const values = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`)
  return `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${values.join(', ')}))).* from ${table} t where ${where}`
}
const ID = `'f' || substr(t.id, 2)`

export const RULE_VIOLATIONS: Break[] = [
  {
    rule: 'X1',
    what: 'two booths with one number',
    guard: dropIndex('booths_numbered'),
    change: `update booths set number = '107' where number = '108'`,
    shows: { X1: ['booth 107'] },
  },
  {
    rule: 'X1',
    what: 'an assigned booth without an assignment',
    guard: disableTriggers('booth_assignments', 'booths_assigned_as_told'),
    change: 'delete from booth_assignments',
    shows: { X1: ['booth 101'] },
  },
  {
    rule: 'X1',
    what: 'a booth with two open assignments',
    guard: dropIndex('booth_assignments_open'),
    change: copy('booth_assignments', { id: ID, company_id: `'{other}'` }, 'true'),
    shows: { X1: ['booth 101'] },
  },
  {
    rule: 'X1',
    what: 'a hold without an end',
    guard: dropConstraint('booths', 'booths_held'),
    change: `update booths set held_until = null where number = '105'`,
    shows: { X1: ['booth 105'] },
  },
  {
    rule: 'X3',
    what: 'two live applications of a company',
    guard: dropIndex('booth_applications_live'),
    change: copy('booth_applications', { id: ID, number: `'A-000009'`, status: `'approved'` }, 'true'),
    shows: { X3: ['company {offered}'] },
  },
  {
    rule: 'X3',
    what: 'an offered booth that is not held',
    guard: disableTriggers('booths', 'booth_offer_held'),
    change: `update booths set status = 'available', held_for = null, held_until = null where number = '105'`,
    shows: { X3: ['offer {application}'] },
  },
  {
    rule: 'X3',
    what: 'an offered booth that was deleted',
    guard: disableTriggers('booths', 'booth_offer_held'),
    change: `delete from booths where number = '105'`,
    shows: { X3: ['offer {application}'] },
  },
  {
    rule: 'X4',
    what: 'two leads of a company about one participant',
    guard: dropConstraint('leads', 'leads_once'),
    change: copy('leads', { id: ID, captures: '0', first_captured_at: 'null', last_captured_at: 'null' }, `participant_id = '{ben}'`),
    shows: { X4: ['leads of participant {ben} at company {company}'] },
  },
  {
    rule: 'X4',
    what: 'two scans of a company with one nonce',
    guard: dropConstraint('lead_captures', 'lead_captures_nonce'),
    change: `update lead_captures set nonce = 'same' where type = 'sdk'`,
    shows: { X4: ['nonce same of company {company}'] },
  },
  {
    rule: 'X5',
    what: 'more active devices than seats',
    guard: dropConstraint('inventory', 'inventory_not_oversold'),
    change: copy('lead_devices', { id: ID, token_hash: `'\\x01'` }, 'true'),
    shows: { I2: ['inventory licence:{company}:device'], X5: ['devices of company {company}'] },
  },
  {
    rule: 'X5',
    what: 'more free passes than the allotment',
    guard: dropConstraint('inventory', 'inventory_not_oversold'),
    change: `insert into exhibitor_staff (tenant_id, event_id, id, company_id, is_test_data, name, email, role)
      select s.tenant_id, s.event_id, substr(md5(n::text), 1, 24), s.company_id, false, 'More', n || '@example.org', 'staff'
      from exhibitor_staff s, generate_series(1, 3) n where s.id = '{sam}'`,
    shows: { I2: ['inventory staff:{company}'], X5: ['free passes of company {company}'] },
  },
  {
    rule: 'X5',
    what: 'a slot with more bookings than its capacity',
    guard: dropConstraint('offerings', 'offerings_not_overbooked'),
    change: `update offerings set capacity = 1, booked = 2 where id = '{later}'`,
    shows: { X5: ['slot {later}'] },
  },
  {
    rule: 'X6',
    what: 'a participant in two appointments that overlap',
    guard: dropConstraint('appointment_people', 'appointment_people_once'),
    change: `update offerings set starts_at = starts_at + interval '15 minutes', ends_at = ends_at + interval '15 minutes' where id = '{slot}'`,
    shows: { X6: ['participant {ada} at 2026-09-01T09:30Z'] },
  },
  {
    rule: 'X7',
    what: 'a former badge id that a participant has',
    guard: disableTriggers('participants', 'badge_id_used_before'),
    change: `insert into badge_id_history (tenant_id, event_id, badge_id, participant_id, valid_from, reason)
      select tenant_id, event_id, 'gone', id, lanyard_now(), 'lost' from participants where id = '{ada}';
      update participants set badge_id = 'gone' where id = '{ben}'`,
    shows: { X7: ['badge of participant {ben}'] },
  },
  {
    rule: 'X7',
    what: 'a current badge id that is written to the history',
    guard: disableTriggers('badge_id_history', 'badge_id_in_use'),
    change: `insert into badge_id_history (tenant_id, event_id, badge_id, participant_id, valid_from, reason)
      select tenant_id, event_id, badge_id, id, lanyard_now(), 'lost' from participants where id = '{ben}'`,
    shows: { X7: ['badge of participant {ben}'] },
  },
  {
    rule: 'X7',
    what: 'two participants with one badge id',
    guard: dropIndex('participants_badge'),
    change: `update participants set badge_id = 'both' where id in ('{ada}', '{ben}')`,
    shows: { X7: ['badge both'] },
  },
  {
    rule: 'X8',
    what: 'two scans of a device with one nonce',
    guard: dropIndex('attendance_scans_nonce'),
    change: copy('attendance_scans', { id: ID, result: `'refused'`, reason: `'full'` }, `nonce = 'n1'`),
    shows: { X8: ['nonce n1 of device door'] },
  },
  {
    rule: 'X8',
    what: 'a person who enters twice',
    guard: null,
    change: copy('attendance_scans', { id: ID, nonce: `'n3'`, at: `'2026-04-10T09:10:00Z'` }, `nonce = 'n1'`),
    shows: { X8: [expect.stringMatching(/^scan /) as never] },
  },
  {
    rule: 'X9',
    what: 'two sessions in one room',
    guard: dropConstraint('sessions', 'sessions_room_once'),
    change: `delete from session_speakers where session_id = '{next}';
      update sessions set starts_at = starts_at - interval '100 minutes', ends_at = ends_at - interval '100 minutes' where id = '{next}'`,
    shows: { X9: [expect.stringMatching(/^room hall: /) as never] },
  },
  {
    rule: 'X9',
    what: 'a speaker in two sessions at a time',
    guard: dropConstraint('session_speakers', 'session_speakers_once'),
    change: `update sessions set room_code = 'attic', starts_at = starts_at - interval '100 minutes', ends_at = ends_at - interval '100 minutes'
      where id = '{next}'`,
    shows: { X9: [expect.stringMatching(/^speaker \w+: /) as never] },
  },
  {
    rule: 'X9',
    what: 'more enrolments than capacity',
    guard: dropConstraint('inventory', 'inventory_not_oversold'),
    change: copy('session_enrolments', { participant_id: `'{ben}'` }, `participant_id = '{ada}'`),
    shows: { I2: ['inventory session:{talk}'], X9: ['session talk'] },
  },
  {
    rule: 'X10',
    what: 'two reviews of one reviewer',
    guard: dropConstraint('submission_reviews', 'submission_reviews_pkey'),
    change: copy('submission_reviews', {}, 'true'),
    shows: { X10: ['submission {submission}, reviewer {ada}'] },
  },
  {
    rule: 'X11',
    what: 'competitors in one direction',
    guard: dropConstraint('company_competitors', 'company_competitors_once'),
    change: 'update company_competitors set company_id = competitor_id, competitor_id = company_id',
    shows: { X11: [expect.stringMatching(/^competitors /) as never] },
  },
  {
    rule: 'X11',
    what: 'a lead about a test participant at a real company',
    guard: disableTriggers('leads', 'leads_tenant_id_event_id_participant_id_is_test_data_fkey'),
    change: `update leads set participant_id = '{tester}' where participant_id = '{ben}'`,
    shows: { X11: [expect.stringMatching(/^lead /) as never] },
  },
  {
    rule: 'X11',
    what: 'an appointment of a test participant with a real company',
    guard: disableTriggers('appointments', 'appointments_tenant_id_event_id_participant_id_is_test_dat_fkey'),
    change: `update appointments set participant_id = '{tester}' where offering_id = '{elsewhere}';
      update appointment_people set participant_id = '{tester}'
      where appointment_id = (select id from appointments where offering_id = '{elsewhere}')`,
    shows: { X11: [expect.stringMatching(/^appointment /) as never] },
  },
]
