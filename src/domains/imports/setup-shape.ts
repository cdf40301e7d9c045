import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, flag, instant, list, money, object, oneOf, untrustedText } from '../../kernel/args.ts'
import { IMPORT_SHEET_KINDS } from './fields.ts'

const column = object({
  name: untrustedText(),
  samples: list(untrustedText(), 3).optional(),
  field: z.string(),
  score: z.number(),
  confidence: oneOf(['sure', 'check', 'told']),
  unmappedValues: list(untrustedText(), 20),
})

const named = () => object({ code: z.string(), name: untrustedText() })

const errorRow = object({
  sheet: untrustedText(),
  row: boundedInteger(),
  column: untrustedText(),
  value: untrustedText(),
  code: z.string(),
  message: z.string(),
})

/** Counts of an import run in a tool result, also while it is running. */
export const ImportRunShape = {
  runId: z.string(),
  status: oneOf(['queued', 'running', 'done', 'failed']),
  rows: boundedInteger(),
  created: boundedInteger(),
  updated: boundedInteger(),
  unchanged: boundedInteger(),
  duplicates: boundedInteger(),
  errors: boundedInteger(),
  payments: describeSchemaInOneLine(
    object({
      rows: boundedInteger(),
      created: boundedInteger(),
      unchanged: boundedInteger(),
      duplicates: boundedInteger(),
      orphans: boundedInteger(),
      errors: boundedInteger(),
      amount: money(),
    }),
    'rows, created, unchanged, duplicates, orphans, errors, amount',
  ),
  errorKinds: describeSchemaInOneLine(
    list(
      object({
        sheet: untrustedText(),
        column: untrustedText(),
        code: z.string(),
        message: z.string(),
        count: boundedInteger(),
        rows: list(boundedInteger()),
      }),
      100,
    ),
    'sheet, column, code, message, count, rows[] (line numbers)',
  ),
  errorRows: describeSchemaInOneLine(list(errorRow, 100), 'samples: sheet, row, column, value, code, message'),
  localEdits: describeSchemaInOneLine(
    list(object({ sheet: untrustedText(), row: boundedInteger(), participantId: z.string(), field: z.string() }), 100),
    'sheet, row, participantId, field',
  ),
  localEditCount: boundedInteger(),
  notInFile: boundedInteger(),
  money: describeSchemaInOneLine(object({ ordered: money(), paid: money(), balance: money() }), 'ordered, paid, balance'),
  stopped: z.string().optional(),
  jobId: z.string().optional(),
  errorFile: z.string().optional(),
}

const run = object({
  ...ImportRunShape,
  mode: oneOf(['test', 'live']),
  dryRun: flag(),
  setupRevision: boundedInteger(),
  createdAt: instant(),
  finishedAt: instant().optional(),
  position: object({ sheet: untrustedText(), row: boundedInteger() }).optional(),
  progress: object({ done: boundedInteger(), total: boundedInteger() }).optional(),
})

export const ImportSetupShape = {
  setupId: z.string(),
  status: oneOf(['draft', 'ready']),
  sheets: describeSchemaInOneLine(
    list(
      object({
        name: untrustedText(),
        kind: oneOf(IMPORT_SHEET_KINDS),
        rows: boundedInteger(),
        header: boundedInteger(),
        columns: list(column, 200),
      }),
      100,
    ),
    'name, kind, rows, header, columns[] { name, samples, field, confidence, unmappedValues }',
  ),
  joins: describeSchemaInOneLine(
    list(
      object({
        from: untrustedText(),
        to: untrustedText(),
        column: untrustedText(),
        matched: boundedInteger(),
        unmatched: boundedInteger(),
      }),
      100,
    ),
    'from, to, column, matched, unmatched',
  ),
  questions: list(
    object({
      id: z.string(),
      question: untrustedText(),
      sheet: untrustedText().optional(),
      columns: list(untrustedText(), 200).optional(),
      options: list(untrustedText(), 200).optional(),
    }),
    200,
  ),
  wouldCreate: describeSchemaInOneLine(
    object({
      flow: z.string().optional(),
      customFields: list(object({ code: z.string(), name: untrustedText(), responseType: z.string(), choices: boundedInteger() })),
      products: list(named()),
      tags: list(named()),
    }),
    'flow, customFields[], products[], tags[]',
  ),
  runs: describeSchemaInOneLine(list(run, 20), 'as import_event, with mode, dryRun, setupRevision, createdAt, position'),
}
