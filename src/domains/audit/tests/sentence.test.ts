import { describe, expect, it } from 'vitest'
import type { AuditedRecord } from '../log.ts'
import { createNameMapOfOneRecord } from '../names.ts'
import { type AuditSentence, buildAuditSentence } from '../sentence.ts'

const EVENT = { id: 'e1', code: 'summit', name: 'The summit' }
const written = (sentence: AuditSentence) => sentence.map((part) => (typeof part === 'string' ? part : `<${part.name}>`)).join('')
const participant = (fields: AuditedRecord['fields'] = {}, id = 'p1'): AuditedRecord => ({ kind: 'participant', id, fields })

const said = (tool: string, targets: AuditedRecord[], names = createNameMapOfOneRecord('participant', 'p1', 'Anna Alt')) =>
  written(buildAuditSentence({ tool, client: null, event: EVENT, targets }, names, () => null))

describe('buildAuditSentence', () => {
  it('names a record in the audit log by its current name, otherwise by the logged name, otherwise by its noun', () => {
    expect(said('edit_participant', [participant()])).toBe('changed the registration of <Anna Alt>')
    const gone = participant({ '@participant.firstName': { before: 'Ben' }, '@participant.lastName': { before: 'Beta' } }, 'p2')
    expect(said('edit_participant', [gone])).toBe('changed the registration of <Ben Beta>')
    expect(said('edit_participant', [participant({}, 'p3')])).toBe('changed the registration of a participant')
  })

  it('names the first record of an audit entry and counts further records of the same kind', () => {
    expect(said('update_managed_group_members', [participant(), participant({}, 'p2'), participant({}, 'p2')])).toBe(
      'changed the members of a group: <Anna Alt> and 1 more',
    )
  })

  it('describes a change of a registration as a cancellation if its status became cancelled', () => {
    const cancelled = { status: { before: 'complete', after: 'cancelled' } }
    expect(said('edit_participant', [participant(cancelled)])).toBe('cancelled the registration of <Anna Alt>')
    expect(said('edit_participant', [participant(), { kind: 'reservation', id: 'r1', fields: cancelled }])).toBe(
      'changed the registration of <Anna Alt>',
    )
  })

  it('distinguishes two participants of one log entry by their field values', () => {
    const coming = participant({ firstName: { after: 'Ben' }, substitutes: { after: 'p1' } }, 'p2')
    expect(said('substitute_participant', [coming, participant({ status: { after: 'cancelled' } })])).toBe(
      'transferred the registration of <Anna Alt> to <Ben>',
    )
  })

  it('omits unknown values from an audit log sentence, and names the event if there is no other record', () => {
    const published = { kind: 'event', id: 'e1', fields: { publishedVersion: { before: 1, after: 2 } } }
    expect(said('publish_event', [published], createNameMapOfOneRecord('event', 'e1', 'The summit'))).toBe(
      'published <The summit> as version 2',
    )
    expect(said('publish_event', [])).toBe('published <The summit>')
  })

  it('describes an audit action without a sentence by its name', () => {
    expect(said('sell_the_venue', [])).toBe('did “sell the venue”')
    expect(said('constructor', [])).toBe('did “constructor”')
  })
})
