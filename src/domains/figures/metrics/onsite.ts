import type { FieldCondition } from '../query/data-query.ts'
import type { Metric } from './types.ts'

const complete: FieldCondition = { field: 'status', op: 'equals', value: 'complete' }
const attended = (value: boolean): FieldCondition => ({ field: 'attended', op: 'equals', value })
const isNoShow = (value: boolean): FieldCondition => ({ field: 'isNoShow', op: 'equals', value })

const ofParticipants = { type: 'integer', entity: 'participant', aggregate: 'count' } as const

const ofSessions = { type: 'integer', entity: 'session', dateField: 'startsAt' } as const

export const ONSITE_METRICS: readonly Metric[] = [
  {
    ...ofParticipants,
    code: 'attendance.expected',
    label: 'Expected',
    formula: 'complete registrations',
    filter: complete,
    dateField: 'completedAt',
  },
  {
    ...ofParticipants,
    code: 'attendance.attended',
    label: 'Attended',
    formula: 'complete participants with at least one accepted entry at the event, a gate or a session',
    synonyms: ['checked in', 'present', 'arrivals', 'footfall'],
    filter: { all: [complete, attended(true)] },
    dateField: 'checkedInAt',
  },
  {
    ...ofParticipants,
    code: 'attendance.enteredNotComplete',
    label: 'Entered without a complete registration',
    formula: 'participants with an accepted entry who are not complete, such as those cancelled later',
    filter: { all: [{ field: 'status', op: 'notEquals', value: 'complete' }, attended(true)] },
    dateField: 'checkedInAt',
  },
  {
    ...ofParticipants,
    code: 'attendance.noShow',
    label: 'No-shows',
    formula: 'expected − attended, after the last day',
    synonyms: ['absent', 'missing'],
    filter: { all: [complete, isNoShow(true)] },
    dateField: 'completedAt',
  },
  {
    ...ofParticipants,
    code: 'attendance.notYet',
    label: 'Not arrived yet',
    formula: 'expected − attended, until the last day is over',
    filter: { all: [complete, attended(false), isNoShow(false)] },
    dateField: 'completedAt',
  },
  {
    code: 'attendance.showRate',
    label: 'Show rate',
    formula: '100 · attended / expected',
    synonyms: ['attendance rate', 'turnout'],
    type: 'percent',
    expression: '100 * attendance.attended / attendance.expected',
  },
  {
    ...ofParticipants,
    code: 'attendance.onSite',
    label: 'Registered on site',
    formula: 'complete participants who completed on the first day or later',
    synonyms: ['walk-ins', 'walk-ups'],
    filter: { all: [complete, { field: 'daysBefore', op: 'lte', value: 0 }] },
    dateField: 'completedAt',
  },
  {
    code: 'session.attended',
    label: 'Attended sessions',
    formula: 'distinct participants with at least one accepted entry at a session',
    type: 'integer',
    entity: 'attendance',
    aggregate: 'countDistinct(participantId)',
    filter: {
      all: [
        { field: 'scope', op: 'equals', value: 'session' },
        { field: 'direction', op: 'equals', value: 'in' },
        { field: 'result', op: 'equals', value: 'accepted' },
      ],
    },
    dateField: 'at',
  },
  {
    ...ofSessions,
    code: 'session.visits',
    label: 'Visits of sessions',
    formula: 'people with at least one accepted entry at a session, added up over the sessions',
    aggregate: 'sum(attended)',
  },
  {
    ...ofSessions,
    code: 'session.minutesTotal',
    label: 'Minutes in sessions',
    formula: 'whole minutes of all people within the times of the sessions, with assumed ones',
    aggregate: 'sum(minutes)',
  },
  {
    code: 'session.minutes',
    label: 'Minutes per visit',
    formula: 'minutes in sessions / visits of sessions',
    synonyms: ['average minutes', 'dwell time'],
    type: 'decimal',
    expression: 'session.minutesTotal / session.visits',
  },
  {
    ...ofSessions,
    code: 'session.peak',
    label: 'Peak of a session',
    formula: 'the most people in one session at the same time',
    synonyms: ['occupancy'],
    aggregate: 'max(peak)',
  },
]
