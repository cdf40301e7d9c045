import type { ToolMeanings } from '../meanings.ts'

export const APPLICATIONS_ARGUMENTS: ToolMeanings = {
  list_booth_applications: {
    status: 'Only applications with one of these statuses.',
    search: 'Only applications whose number, or the name or code of whose company, contains these words.',
    minPoints: 'Only applications with at least this many priority points.',
    sizeCode: 'Only applications that want this booth size.',
    unplaced: 'Only live applications without a booth and without an open offer; false for all others.',
    applicationNumber: 'Number of one application, to see all of it.',
    sort: 'Order of the list. By points if omitted; equal points by time of submission.',
  },
  manage_booth_application: {
    action: 'What to do.',
    number: 'Number of the application.',
    wanted:
      'Wishes: booth sizes by preference, minimum and maximum area in the units of the plan, booth type, zones, up to ten booth numbers by preference, companies to be near to or away from, the place of last time, and whether other booths are accepted (true if omitted). With `update`, only the keys that are sent change, and `clear` names wishes to empty.',
    answers: 'Answers to the questions of `applicationFields`, by the code of the question.',
    submit: 'Submit the new application; otherwise it is a draft.',
    additional: 'The company may have another live application beside this one.',
    note: 'Note about the decision, for organizers.',
    boothNumbers: 'Booths to offer.',
    until: 'End of the offer. If omitted, the end of the day after `offerDays`, in the event time zone.',
    notify: 'Email the offer to the contact of the company, with a link to accept or decline.',
    force: 'Offer booths that are smaller than the minimum area wanted.',
    mode: 'Whether companies get offers, or their booths at once.',
    reason: 'Reason, for the audit log.',
    applicationNumbers: 'Applications whose companies get the email.',
    all: 'All accepted applications.',
    message: 'Message in the email.',
  },
}
