import { name } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { BRIEF_STATES } from './states.ts'

export const BRIEF_RECORD = defineRecord({
  table: 'briefs',
  kind: 'brief',
  noun: 'Brief',
  name: (row) => row.title,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: BRIEF_STATES,
  fields: {
    title: { column: 'title', type: name(160), meaning: 'Title of the brief.' },
    answers: { column: 'answers', json: 'whole' },
    skipped: { column: 'skipped', empty: [] },
    status: { column: 'status', readOnly: true },
    version: { column: 'version', readOnly: true },
  },
})
