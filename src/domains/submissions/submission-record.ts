import { code, list, name, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { CustomQuestionAnswers } from '../sessions/speaker-record.ts'
import { SUBMISSION_STATES } from './states.ts'

export const SUBMISSION_RECORD = defineRecord({
  table: 'submissions',
  kind: 'submission',
  noun: 'Submission',
  name: (row) => row.number,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  announced: { updated: 'submission.updated' },
  states: SUBMISSION_STATES,
  fields: {
    title: { column: 'title', type: name(200), meaning: 'Title of the talk.' },
    abstract: { column: 'abstract', empty: null, type: text(5000), meaning: 'What the talk is about.' },
    keywords: { column: 'keywords', empty: [], type: list(name(80), 20), meaning: 'Keywords. Replaces the whole list.' },
    answers: {
      column: 'answers',
      json: 'merged',
      empty: {},
      type: CustomQuestionAnswers,
      meaning: "Answers to the event's questions, by code.",
    },
    trackCode: { column: 'track_code', type: code(), meaning: 'Track that the submitter prefers.' },
    formatCode: { column: 'format_code', type: code(), meaning: 'Format that the submitter prefers.' },
    decidedTrackCode: { column: 'decided_track_code', empty: null, type: code(), meaning: 'Track that the committee chose.' },
    decidedFormatCode: { column: 'decided_format_code', empty: null, type: code(), meaning: 'Format that the committee chose.' },
  },
})
