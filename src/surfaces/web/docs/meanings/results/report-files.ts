import type { FieldDocsByTool } from '../meanings.ts'

export const REPORT_FILE_RESULT_DOCS: FieldDocsByTool = {
  list_reports: { reports: 'Standard reports in their order, then designed reports by name.' },
  get_report: {
    report: 'The report with parameters, columns or widgets.',
    runs: 'Its latest runs that you may see.',
    problems: 'What keeps a designed report from showing everything.',
    run: 'The run with its progress, file, checksum and emails.',
  },
  run_report: {
    columns: 'Columns of the rows or of the file.',
    rows: 'Rows of the page.',
    rowCount: 'The number of rows of a file.',
    nextCursor: 'The cursor of the next page; null on the last one.',
    totals: 'Sums over all rows.',
    checks: 'Comparisons with other figures.',
    widgets: 'Further tables, or the widgets of a designed report.',
    asOf: 'Time of the figures.',
    withheld: 'Columns that you may not see.',
    note: 'What is not shown, and where to find it.',
    runId: 'The run; get_report shows it.',
    jobId: 'The job that writes the file.',
    status: 'State of the run.',
    file: 'The file, for signed-in organizers.',
    queued: 'Number of emails that will be sent.',
    skipped: 'Recipients that were left out, by reason.',
    personal: 'Columns with personal data.',
    recipients: 'Each address, and whether it may get the file.',
  },
  export_event: {
    runId: 'The run; get_report shows its progress and file.',
    jobId: 'The job that writes the archive.',
    status: 'State of the run.',
    entities: 'Rows by entity.',
    estimatedBytes: 'Rough size before compression.',
    personal: 'Fields with personal data.',
  },
}
