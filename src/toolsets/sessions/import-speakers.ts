import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, flag, id, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { errorKindListSchema } from '../../kernel/error-kinds.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { importSpeakers, MAX_SPEAKER_ROWS, readSpeakerSheet } from '../../domains/imports/speakers.ts'

export default defineImportTool({
  name: 'import_speakers',
  title: 'Import speakers from a spreadsheet',
  description:
    'Import a speaker list (faculty, presenters with bios and photo links) from a spreadsheet (Excel, CSV upload) or rows; columns are recognised, a session column with role attaches them. Matches by email, else name and company; sends no emails. For one speaker use manage_speaker. Returns created, updated, unchanged, skipped, invalid rows.',
  effect: 'change',
  permission: 'sessions.write',
  openWorld: true,
  idempotent: true,
  keyed: true,
  dryRun: true,
  input: {
    fileId: id('file').optional(),
    rows: describeSchemaInOneLine(
      list(z.record(z.string().max(200), z.unknown()), MAX_SPEAKER_ROWS),
      'firstName, lastName, email, company?, bio?, headshot?, session?, role? ...',
    ).optional(),
    mapping: describeSchemaInOneLine(
      list(object({ column: text(200), field: text(40) }), 200),
      '[{"column","field"}]; field ignore leaves it out',
    ).optional(),
    onMatch: oneOf(['update', 'skip', 'fill']).default('fill'),
  },
  output: {
    rows: boundedInteger(),
    created: boundedInteger(),
    updated: boundedInteger(),
    skipped: boundedInteger(),
    unchanged: boundedInteger(),
    invalidRows: boundedInteger(),
    invalid: describeSchemaInOneLine(list(object({ row: boundedInteger(), path: text(), message: text() })), 'row, path, message'),
    errorKinds: errorKindListSchema({ path: untrustedText() }),
    ambiguous: describeSchemaInOneLine(list(object({ row: boundedInteger(), candidates: list(text()) })), 'row, candidates[]'),
    ambiguousCount: boundedInteger(),
    mapping: describeSchemaInOneLine(
      list(object({ column: untrustedText(), field: text().optional(), sure: flag() })),
      'column, field, sure',
    ),
    headshots: describeSchemaInOneLine(
      object({ jobId: text(), status: text(), count: boundedInteger() }),
      'jobId, status, count',
    ).optional(),
  },
  prefetch: readSpeakerSheet,
  run: (ctx, { mapping = [], onMatch }, sheet) => importSpeakers(ctx, { mapping, onMatch }, sheet),
})
