import { code, list, locale, name, oneOf, text } from '../../../kernel/args.ts'
import { z } from 'zod'
import { defineRecord } from '../../../kernel/records.ts'
import { ReportPageInput } from './arguments.ts'
import { ParameterInput } from './parameters.ts'
import { REPORT_STATES } from './states.ts'
import { MAX_WIDGETS } from './widgets.ts'

export const REPORT_RECORD = defineRecord({
  table: 'reports',
  kind: 'report',
  noun: 'Report',
  name: (row) => row.code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: REPORT_STATES,
  fields: {
    name: { column: 'name', type: name(), meaning: 'Name of the report.' },
    description: { column: 'description', empty: null, type: text(1000), meaning: 'What the report is for.' },
    category: { column: 'category', empty: null, type: code(), meaning: 'Category that lists are filtered by.' },
    visibility: {
      column: 'visibility',
      type: oneOf(['private', 'event']),
      meaning: '`private` reports are visible to their owner and administrators only.',
    },
    parameters: { column: 'parameters', json: 'whole', empty: [], type: list(ParameterInput, 20), meaning: 'Values that a run asks for.' },
    filter: {
      column: 'filter',
      json: 'whole',
      empty: null,
      type: z.record(z.string(), z.unknown()),
      meaning: 'Condition that applies to every widget whose entity has the fields.',
    },
    widgets: {
      column: 'widgets',
      json: 'whole',
      empty: [],
      type: list(z.looseObject({}), MAX_WIDGETS),
      meaning: 'Widgets in reading order.',
    },
    page: { column: 'page', json: 'whole', type: ReportPageInput, meaning: 'Size and orientation of a printed page.' },
    theme: { column: 'theme', type: oneOf(['light', 'dark']), meaning: 'Colors of charts and files.' },
    locale: { column: 'locale', empty: null, type: locale(), meaning: 'Language of dates and numbers.' },
    code: { column: 'code', readOnly: true, type: code(), meaning: 'Code of the report.' },
    status: { column: 'status', readOnly: true, type: oneOf(REPORT_STATES.all), meaning: 'Archived reports cannot be run or delivered.' },
  },
})
