import { z } from 'zod'
import { toOneLine, count, flag, instant, list, money, object, oneOf, untrustedText } from '../../kernel/args.ts'
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
  row: count(),
  column: untrustedText(),
  value: untrustedText(),
  code: z.string(),
  message: z.string(),
})

/** Counts of an import run in a tool result, also while it is running. */
export const ImportRunShape = {
  runId: z.string(),
  status: oneOf(['queued', 'running', 'done', 'failed']),
  rows: count(),
  created: count(),
  updated: count(),
  unchanged: count(),
  duplicates: count(),
  errors: count(),
  payments: toOneLine(
    object({
      rows: count(),
      created: count(),
      unchanged: count(),
      duplicates: count(),
      orphans: count(),
      errors: count(),
      amount: money(),
    }),
    'rows, created, unchanged, duplicates, orphans, errors, amount',
  ),
  errorKinds: toOneLine(
    list(
      object({
        sheet: untrustedText(),
        column: untrustedText(),
        code: z.string(),
        message: z.string(),
        count: count(),
        rows: list(count()),
      }),
      100,
    ),
    'sheet, column, code, message, count, rows[] (line numbers)',
  ),
  errorRows: toOneLine(list(errorRow, 100), 'samples: sheet, row, column, value, code, message'),
  localEdits: toOneLine(
    list(object({ sheet: untrustedText(), row: count(), participantId: z.string(), field: z.string() }), 100),
    'sheet, row, participantId, field',
  ),
  localEditCount: count(),
  notInFile: count(),
  money: toOneLine(object({ ordered: money(), paid: money(), balance: money() }), 'ordered, paid, balance'),
  stopped: z.string().optional(),
  jobId: z.string().optional(),
  errorFile: z.string().optional(),
}

const run = object({
  ...ImportRunShape,
  mode: oneOf(['test', 'live']),
  dryRun: flag(),
  setupRevision: count(),
  createdAt: instant(),
  finishedAt: instant().optional(),
  position: object({ sheet: untrustedText(), row: count() }).optional(),
  progress: object({ done: count(), total: count() }).optional(),
})

export const ImportSetupShape = {
  setupId: z.string(),
  status: oneOf(['draft', 'ready']),
  sheets: toOneLine(
    list(
      object({
        name: untrustedText(),
        kind: oneOf(IMPORT_SHEET_KINDS),
        rows: count(),
        header: count(),
        columns: list(column, 200),
      }),
      100,
    ),
    'name, kind, rows, header, columns[] { name, samples, field, confidence, unmappedValues }',
  ),
  joins: toOneLine(
    list(
      object({
        from: untrustedText(),
        to: untrustedText(),
        column: untrustedText(),
        matched: count(),
        unmatched: count(),
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
  wouldCreate: toOneLine(
    object({
      flow: z.string().optional(),
      customFields: list(object({ code: z.string(), name: untrustedText(), responseType: z.string(), choices: count() })),
      products: list(named()),
      tags: list(named()),
    }),
    'flow, customFields[], products[], tags[]',
  ),
  runs: toOneLine(list(run, 20), 'as import_event, with mode, dryRun, setupRevision, createdAt, position'),
}
