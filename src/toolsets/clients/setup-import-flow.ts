import { z } from 'zod'
import { toOneLine, code, count, currency, flag, id, list, object, oneOf, text, ianaTimeZone } from '../../kernel/args.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { IMPORT_SHEET_KINDS } from '../../domains/imports/fields.ts'
import { ImportSetupShape } from '../../domains/imports/setup-shape.ts'
import { setUpImport } from '../../domains/imports/setup-result.ts'
import { isReadOnlyImportSetupRequest, prepareImportSetup } from '../../domains/imports/setups.ts'

const sheet = { sheet: text(200) }
const kinds = list(object({ ...sheet, kind: oneOf(IMPORT_SHEET_KINDS) }), 100)
const mapping = list(object({ ...sheet, column: text(300), field: text(120) }), 1000)
const values = list(object({ column: text(300), from: text(300), to: text(200) }), 1000)
const formats = object({
  dateOrder: oneOf(['DMY', 'MDY']).optional(),
  decimalSeparator: oneOf(['.', ',']).optional(),
  timezone: ianaTimeZone().optional(),
  currency: currency().optional(),
})

export default defineImportTool({
  name: 'setup_import_flow',
  title: 'Prepare an import of a past event',
  description:
    'Get the old registration spreadsheet (Excel, CSV) of a previous or legacy system ready for import: match and map its sheets, columns, joins, values and date format to fields; save adds what they need to the draft. Then use import_event. setupId alone reads it. Returns the proposal, open questions and runs.',
  effect: 'change',
  permission: 'clients.write',
  input: {
    fileIds: list(id('file'), 10).optional(),
    text: text(1_100_000).optional(),
    sourceSystem: code().optional(),
    kinds: toOneLine(kinds, `[{"sheet","kind": ${IMPORT_SHEET_KINDS.join(', ')}}]`).optional(),
    mapping: toOneLine(mapping, '[{"sheet","column","field"}]; field: @participant.email, fullName, new:<code>, ignore').optional(),
    values: toOneLine(values, '[{"column","from","to"}], such as a status').optional(),
    formats: toOneLine(formats, 'dateOrder DMY or MDY, decimalSeparator, timezone, currency').optional(),
    flowSlug: code().optional(),
    save: flag().default(false),
    setupId: id('importSetup').optional(),
  },
  output: { ...ImportSetupShape, revision: count(1), sourceSystem: z.string() },
  imports: (input) => !isReadOnlyImportSetupRequest(input),
  prefetch: prepareImportSetup,
  run: setUpImport,
})
