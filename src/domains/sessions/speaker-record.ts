import { z } from 'zod'
import { toOneLine, country, email, id, instant, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { SPEAKER_STATES } from './states.ts'

/** Answers to the event's custom questions, by question code. */
export const CustomQuestionAnswers = toOneLine(z.record(z.string().max(63), z.unknown()), 'by question code')

export const SPEAKER_RECORD = defineRecord({
  table: 'speakers',
  kind: 'speaker',
  noun: 'Speaker',
  name: (row) => row.id,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: SPEAKER_STATES,
  fields: {
    firstName: { column: 'first_name', type: name(80), meaning: 'First name.' },
    lastName: { column: 'last_name', type: name(80), meaning: 'Last name.' },
    email: { column: 'email', type: email(), meaning: 'Email address, unique among the speakers of the event.' },
    company: { column: 'company', empty: null, type: name(), meaning: 'Company or institution.' },
    jobTitle: { column: 'job_title', empty: null, type: name(), meaning: 'Job title.' },
    bio: { column: 'bio', empty: null, type: text(5000), meaning: 'Biography for the programme.' },
    headshotFileId: { column: 'headshot_file_id', empty: null, type: id('file'), meaning: 'Id of the portrait photo.' },
    links: {
      column: 'links',
      empty: [],
      type: list(z.url({ protocol: /^https?$/ }).max(2000), 10),
      meaning: 'Web addresses about the speaker.',
    },
    country: { column: 'country', empty: null, type: country(), meaning: 'Country code.' },
    availability: {
      column: 'availability',
      json: 'whole',
      empty: [],
      type: toOneLine(list(object({ from: instant(), until: instant() }), 50), 'from, until'),
      meaning: 'When the speaker can speak. Empty means at any time.',
    },
    disclosure: { column: 'disclosure', empty: null, type: text(5000), meaning: 'Disclosure of financial interests.' },
    answers: {
      column: 'answers',
      json: 'merged',
      empty: {},
      type: CustomQuestionAnswers,
      meaning: "Answers to the event's questions, by code.",
    },
    status: { column: 'status', readOnly: true, type: oneOf(SPEAKER_STATES.all), meaning: 'Whether the speaker takes part.' },
  },
})
