import { z } from 'zod'
import { toOneLine, count, flag, id, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
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
    rows: toOneLine(
      list(z.record(z.string().max(200), z.unknown()), MAX_SPEAKER_ROWS),
      'firstName, lastName, email, company?, bio?, headshot?, session?, role? ...',
    ).optional(),
    mapping: toOneLine(
      list(object({ column: text(200), field: text(40) }), 200),
      '[{"column","field"}]; field ignore leaves it out',
    ).optional(),
    onMatch: oneOf(['update', 'skip', 'fill']).default('fill'),
  },
  output: {
    rows: count(),
    created: count(),
    updated: count(),
    skipped: count(),
    unchanged: count(),
    invalidRows: count(),
    invalid: toOneLine(list(object({ row: count(), path: text(), message: text() })), 'row, path, message'),
    errorKinds: errorKindListSchema({ path: untrustedText() }),
    ambiguous: toOneLine(list(object({ row: count(), candidates: list(text()) })), 'row, candidates[]'),
    ambiguousCount: count(),
    mapping: toOneLine(list(object({ column: untrustedText(), field: text().optional(), sure: flag() })), 'column, field, sure'),
    headshots: toOneLine(object({ jobId: text(), status: text(), count: count() }), 'jobId, status, count').optional(),
  },
  prefetch: readSpeakerSheet,
  run: (ctx, { mapping = [], onMatch }, sheet) => importSpeakers(ctx, { mapping, onMatch }, sheet),
})
