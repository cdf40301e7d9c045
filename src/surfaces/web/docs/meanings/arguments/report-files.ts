import type { FieldDocsByTool } from '../meanings.ts'

export const REPORT_FILE_ARGUMENT_DOCS: FieldDocsByTool = {
  list_reports: {
    kind: 'Standard reports that ship with Lanyard, or reports that organizers designed.',
    category: 'Only reports of this category.',
    search: 'Words of the name, code or description.',
    status: 'Active or archived reports.',
  },
  get_report: { report: 'Code of a report.', runId: 'Which run or export, instead of a report.' },
  run_report: {
    report: 'Code of the report.',
    parameters: 'Values by parameter name. get_report shows the parameters.',
    format: 'json returns rows; the others create a file that is kept for 7 days.',
    recipients: 'Email addresses that get the file.',
    message: 'Text for the email.',
    theme: 'Colors of HTML files and charts.',
    locale: 'Language of the email, and of the file of a designed report. Files of standard reports are in English.',
    includeTestData: 'Add test data, in tables of its own.',
    limit: 'Rows per page of json.',
    cursor: 'The nextCursor of the previous page.',
  },
  export_event: {
    personalData: 'none: no names, ids as pseudonyms. identity: names and emails. full: everything.',
    entities: 'Names of entities. Default: all that you may read.',
    formats: 'CSV files, JSON lines, or both.',
    includeConfig: 'Add the draft and the published event document.',
    includeFiles: 'Add files of the library, and uploads with full.',
    includeTestData: 'Add test data.',
  },
}
