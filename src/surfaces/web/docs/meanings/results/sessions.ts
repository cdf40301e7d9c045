import type { FieldDocsByTool } from '../meanings.ts'

export const SESSION_RESULT_DOCS: FieldDocsByTool = {
  list_speakers: {
    speakers: 'The speakers by last name.',
    counts: 'Number of speakers by status.',
  },
  manage_speaker: {
    speaker: 'The speaker after the call.',
    changed: 'Names of the changed fields.',
    needsSpeaker: 'Sessions that stay without the speaker.',
    deleted: 'Number of deleted speakers.',
    queued: 'Number of invitations.',
    skipped: 'Speakers who were not invited, by reason.',
  },
  import_speakers: {
    rows: 'Number of rows.',
    created: 'Number of new speakers.',
    updated: 'Number of changed speakers.',
    skipped: 'Number of rows that repeat an earlier row, or match with onMatch skip.',
    unchanged: 'Number of known speakers without changes.',
    invalidRows: 'Number of rows that were not imported.',
    invalid: 'Errors by row: all of a short list, else the first of each kind.',
    errorKinds: 'Errors grouped by kind: the number of each, and the first line numbers.',
    ambiguous: 'Rows that match several speakers. They are not imported.',
    ambiguousCount: 'Number of these rows.',
    mapping: 'The field of each column, and whether it is certain.',
    headshots: 'The job that fetches the photos.',
  },
  list_submissions: {
    submissions: 'The submissions in the requested order. score is the mean of the reviews from 0 to 100, adjusted corrects it for strict and kind reviewers.',
    counts: 'Number of submissions by status.',
  },
  get_submission: { submission: 'The submission.' },
  manage_submission: {
    submission: 'The submission after the call.',
    submissions: 'The decided or informed submissions.',
    changed: 'Names of the changed fields.',
    assigned: 'Number of new assignments.',
    load: 'Assigned submissions of each reviewer.',
    unassignable: 'Numbers of submissions with fewer reviewers than wanted, because of conflicts of interest.',
    session: 'The scheduled session.',
    conflicts: 'Speakers who are not available at that time, or have declined.',
    queued: 'Number of emails.',
    skipped: 'Submissions whose submitters were not informed, by reason.',
  },
}
