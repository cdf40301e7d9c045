import { toOneLine, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { MAX_COMPANY_ROWS, readCompanyImportRows, CompanyRowArgument } from '../../domains/imports/companies/company-rows.ts'
import { COMPANY_IMPORT_RESULT, importCompanies } from '../../domains/imports/companies/import-companies.ts'

export default defineImportTool({
  name: 'import_companies',
  title: 'Import exhibitors',
  description:
    'Load exhibitor accounts in bulk from an Excel or CSV file or from rows, for example firms that bought space, without doubling the ones there are: matched by your id, by name without legal form, or by web domain; fill blanks only if wanted. Assigns booths, sends nothing. For one company use manage_company. Returns counts and problems by row.',
  effect: 'change',
  permission: 'exhibitors.write',
  keyed: true,
  dryRun: true,
  input: {
    fileId: id('file').optional(),
    rows: toOneLine(
      list(CompanyRowArgument, MAX_COMPANY_ROWS),
      'name, externalId, website, country, contactName, contactEmail, boothNumbers[] ...',
    ).optional(),
    mapping: toOneLine(list(object({ column: text(200), field: text(40) }), 200), '[{"column","field"}]').optional(),
    match: oneOf(['externalId', 'name', 'both']).default('both'),
    onMatch: oneOf(['update', 'skip', 'fill']).default('update'),
  },
  output: COMPANY_IMPORT_RESULT,
  prefetch: readCompanyImportRows,
  run: importCompanies,
})
