import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { acceptOffer, cancelApplication } from '../../domains/exhibitors/applications/accept.ts'
import { APPLICATION_RESULT_FIELDS, APPLICATION_ARGUMENTS } from '../../domains/exhibitors/applications/application-shapes.ts'
import { applyBoothProposal } from '../../domains/exhibitors/applications/apply-proposal.ts'
import { decideApplication, withdrawApplication } from '../../domains/exhibitors/applications/decide.ts'
import { createApplication, submitApplicationDraft, updateApplication } from '../../domains/exhibitors/applications/edit.ts'
import { sendAssignmentEmails } from '../../domains/exhibitors/applications/emails.ts'
import { declineOffer, offerBooths, withdrawBoothOffer } from '../../domains/exhibitors/applications/offers.ts'

const sends = { also: ['email.send'] as const }

export default multiActionEventTool({
  name: 'manage_booth_application',
  title: 'Manage booth applications',
  description:
    "Decide a company's space application; emails cannot be undone (dryRun first). Actions: create, update, submit, review, approve, waitlist, reject, offer (hold stands as an option), apply_proposal, withdraw_offer, accept, decline, withdraw, cancel, send_assignments (tell each its spot). Not for who goes where (propose_booth_assignments). Returns applications.",
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  area: 'exhibitors',
  input: APPLICATION_ARGUMENTS,
  output: APPLICATION_RESULT_FIELDS,
  actions: (action) => ({
    create: action.change(['companyId', 'wanted'], createApplication, { takes: ['answers', 'submit', 'additional', 'note'] }),
    update: action.change(['number'], updateApplication, { takes: ['wanted', 'answers', 'note', 'ifRevision'] }),
    submit: action.change(['number'], (ctx, { number }) => submitApplicationDraft(ctx, number)),
    review: action.change(['number'], (ctx, { number, note }) => decideApplication(ctx, number, 'under_review', note), { takes: ['note'] }),
    approve: action.change(['number'], (ctx, { number, note }) => decideApplication(ctx, number, 'approved', note), { takes: ['note'] }),
    waitlist: action.change(['number'], (ctx, { number, note }) => decideApplication(ctx, number, 'waitlisted', note), { takes: ['note'] }),
    reject: action.change(['number'], (ctx, { number, note }) => decideApplication(ctx, number, 'rejected', note), { takes: ['note'] }),
    offer: action.change(['number', 'boothNumbers'], offerBooths, { takes: ['until', 'notify', 'force'], ...sends }),
    apply_proposal: action.change(['proposalId', 'mode'], applyBoothProposal, { takes: ['notify'], ...sends }),
    withdraw_offer: action.change(['number'], (ctx, { number, reason }) => withdrawBoothOffer(ctx, number, reason), { takes: ['reason'] }),
    accept: action.change(['number'], (ctx, { number }) => acceptOffer(ctx, number)),
    decline: action.change(['number'], (ctx, { number }) => declineOffer(ctx, number)),
    withdraw: action.change(['number'], (ctx, { number, note }) => withdrawApplication(ctx, number, note), { takes: ['note'] }),
    cancel: action.change(['number', 'reason'], (ctx, { number, reason }) => cancelApplication(ctx, number, reason)),
    send_assignments: action.change([], sendAssignmentEmails, { takes: ['applicationNumbers', 'all', 'message'], ...sends }),
  }),
})
