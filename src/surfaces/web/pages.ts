import { Hono } from 'hono'
import { oauthEndpoints } from '../oauth/endpoints.ts'
import { assetPages } from './assets.ts'
import { apiAccountPage } from './console/account.tsx'
import { apiAccountPages } from './console/accounts.tsx'
import { appPages } from './console/apps.tsx'
import { auditExportRoutes } from './console/audit/export.ts'
import { auditPages } from './console/audit/pages.tsx'
import { checklistPages } from './console/checklist.tsx'
import { connectPages } from './console/connect.tsx'
import { draftPages } from './console/event/draft.tsx'
import { funnelPages } from './console/event/funnel.tsx'
import { newEventPages } from './console/event/new-event.tsx'
import { eventOverviewPages } from './console/event/overview.tsx'
import { eventProductPages } from './console/event/products.tsx'
import { onsitePages } from './console/event/onsite.tsx'
import { audiencePages } from './console/reports/audience.tsx'
import { restorePages } from './console/event/restore.tsx'
import { versionPages } from './console/event/versions.tsx'
import { eventListPages } from './console/events.tsx'
import { jobPages } from './console/jobs.tsx'
import { mailboxPages } from './console/mailbox.tsx'
import { hotelConsolePages } from './console/housing/hotel.tsx'
import { roomingListPages } from './console/housing/rooming-lists.tsx'
import { housingPages } from './console/housing/overview.tsx'
import { comparePages } from './console/sourcing/compare.tsx'
import { rfpResponsePages } from './console/sourcing/rfp-response.tsx'
import { contractPages } from './console/sourcing/contracts.tsx'
import { proposeAwardPages } from './console/sourcing/propose.tsx'
import { contractSigningPages } from './console/sourcing/signers.tsx'
import { rfpPages } from './console/sourcing/rfps.tsx'
import { milestonePages } from './console/sourcing/milestones.tsx'
import { instructionPages } from './console/instructions.tsx'
import { memberPages } from './console/member.tsx'
import { memoryPages } from './console/memory.tsx'
import { moneyDocuments } from './console/money/documents.ts'
import { moneyExport } from './console/money/export.ts'
import { exportPages } from './console/reports/export-page.tsx'
import { reportFilePages } from './console/reports/report-file.ts'
import { reportListPages } from './console/reports/report-list.tsx'
import { designedReportPages } from './console/reports/pages.tsx'
import { reportPages } from './console/reports/report-page.tsx'
import { moneyPages, openInvoicePages } from './console/money/money-page.tsx'
import { orderMoneyPages } from './console/money/order-pages.tsx'
import { recordPaymentPages } from './console/money/record.tsx'
import { ownAccountPages } from './console/own-account.tsx'
import { personCancelPages } from './console/people/cancel.tsx'
import { personEditPages } from './console/people/edit.tsx'
import { peopleExport } from './console/people/export.ts'
import { personBadges } from './console/people/badge.ts'
import { personInvoices } from './console/people/invoice.ts'
import { peoplePages } from './console/people/list.tsx'
import { emailEditPages } from './console/emails/edit.tsx'
import { emailPages } from './console/emails/pages.tsx'
import { floorPlanPages } from './console/floor/pages.tsx'
import { applicationPages } from './console/exhibitors/application.tsx'
import { applicationListPages } from './console/exhibitors/applications.tsx'
import { companyListPages } from './console/exhibitors/companies.tsx'
import { companyPages } from './console/exhibitors/company.tsx'
import { leadListPages } from './console/exhibitors/leads.tsx'
import { newSessionPages } from './console/program/new-session.tsx'
import { proposalPage } from './console/program/proposal.tsx'
import { proposalPages } from './console/program/proposals.tsx'
import { programSessionPages } from './console/program/sessions.tsx'
import { groupEditPages } from './console/groups/edit.tsx'
import { groupInviteActions } from './console/groups/invites.tsx'
import { groupListPages } from './console/groups/list.tsx'
import { groupMemberActions } from './console/groups/members.tsx'
import { groupPages } from './console/groups/page.tsx'
import { surveyConsolePages } from './console/surveys/pages.tsx'
import { eventSearchPages } from './console/event/search.tsx'
import { waitlistPages } from './console/waitlist/pages.tsx'
import { personPages } from './console/people/person.tsx'
import { personSubstitutePages } from './console/people/substitute.tsx'
import { secondFactorPages } from './console/second-factor.tsx'
import { settingsPages } from './console/settings.tsx'
import { briefPages } from './console/sourcing/briefs.tsx'
import { consoleSupplierPages } from './console/sourcing/suppliers.tsx'
import { setupPages, redirectUntilSetUp } from './console/setup.tsx'
import { userPages } from './console/users.tsx'
import { webhookPage } from './console/webhook.tsx'
import { webhookPages } from './console/webhooks.tsx'
import { consentPages } from './oauth-consent/pages.tsx'
import { consoleFeedbackPages } from './feedback/console.tsx'
import { documentationPages } from './docs/pages.tsx'
import { docsFeedbackPages } from './feedback/docs.tsx'
import { coverPages } from './event/cover.ts'
import { agendaPages } from './program/agenda.tsx'
import { callForPapersPages } from './program/call-for-papers.tsx'
import { sessionPages } from './program/session.tsx'
import { speakerPages } from './program/speaker.tsx'
import { eventHomePages } from './event/home.tsx'
import { badgePages } from './event/badge.tsx'
import { personSignInPages, newSignInPages } from './event/sign-in.tsx'
import { sandboxPages } from './event/sandbox.tsx'
import { groupAddPages } from './group/add.tsx'
import { GROUP_ADMIN_AREA } from './group/group-access.tsx'
import { groupHomePages } from './group/home.tsx'
import { groupInvitePages } from './group/invite.tsx'
import { groupJoinCodePages } from './group/join-code.tsx'
import { portalAppointmentPages } from './exhibitor/appointments.tsx'
import { portalChoicePages } from './exhibitor/choose.tsx'
import { portalCompanyPages } from './exhibitor/company.tsx'
import { portalDevicePages } from './exhibitor/devices.tsx'
import { portalDocumentPages } from './exhibitor/invoices.tsx'
import { portalLeadCsvPages } from './exhibitor/leads-csv.ts'
import { portalLeadPages } from './exhibitor/leads.tsx'
import { portalOverviewPages } from './exhibitor/overview.tsx'
import { EXHIBITOR_AREA } from './exhibitor/portal-access.tsx'
import { portalStaffPages } from './exhibitor/staff.tsx'
import { boothOfferPages } from './event/booth-offer.tsx'
import { BLOCK_REQUEST_AREA } from './housing-request/access.tsx'
import { newBlockRequestPages } from './housing-request/new-request.tsx'
import { giveBackPages } from './housing-request/give-back.tsx'
import { guestListPages } from './housing-request/guest-list.tsx'
import { blockRequestPages } from './housing-request/request.tsx'
import { groupJoinPages } from './group/join.tsx'
import { groupMemberPages } from './group/member.tsx'
import { groupDocumentPages } from './group/order.tsx'
import { ownCancelPages } from './registration/cancel.tsx'
import { ownEditPages } from './registration/edit.tsx'
import { ownDocumentPages } from './registration/documents.ts'
import { ownOverviewPages } from './registration/overview.tsx'
import { ownOfferPages } from './registration/offers.tsx'
import { ownPayPages } from './registration/pay.tsx'
import { ownRoomPages } from './registration/rooms.tsx'
import { ownSharingPages } from './registration/sharing.tsx'
import { homePages } from './home/pages.tsx'
import { hotelPages } from './hotel/pages.tsx'
import { supplierPages } from './supplier/pages.tsx'
import { reportLinkPages } from './report/report-link-pages.tsx'
import { signPages } from './signing/sign-pages.tsx'
import { surveyPages } from './survey/pages.tsx'
import { verifyPages } from './signing/verify-pages.tsx'
import { doorPages } from './door/pages.tsx'
import { scanPages } from './scan/pages.tsx'
import { rejectNul } from './error-pages.tsx'
import { donePages } from './register/done.tsx'
import { embedPages } from './register/embed.ts'
import { invitedPages } from './register/invited.tsx'
import { flowPages } from './register/flow-pages.tsx'
import { payReturnPages } from './register/pay-return.tsx'
import { startPages } from './register/start.tsx'
import { summaryPages } from './register/summary.tsx'
import { signInPages } from './sign-in/pages.tsx'
import { themePages } from './theme/pages.ts'
import type { WebServices, WebEnv } from './web.ts'

/** All HTML pages. The sign-in routes come before the console routes, which require a signed-in user. */
export function webPages(web: WebServices) {
  const setUpFirst = redirectUntilSetUp(web)
  return new Hono<WebEnv>()
    .use(rejectNul(web))
    .use('/console', setUpFirst)
    .use('/console/*', setUpFirst)
    .route('/', assetPages())
    .route('/', themePages())
    .route('/', oauthEndpoints(web))
    .route('/', consentPages(web))
    .route('/', signInPages(web))
    .route('/', setupPages(web))
    .route('/', eventListPages(web))
    .route('/', checklistPages(web))
    .route('/', newEventPages(web))
    .route('/', eventOverviewPages(web))
    .route('/', draftPages(web))
    .route('/', versionPages(web))
    .route('/', restorePages(web))
    .route('/', eventProductPages(web))
    .route('/', onsitePages(web))
    .route('/', audiencePages(web))
    .route('/', housingPages(web))
    .route('/', rfpPages(web))
    .route('/', contractPages(web))
    .route('/', contractSigningPages(web))
    .route('/', rfpResponsePages(web))
    .route('/', comparePages(web))
    .route('/', proposeAwardPages(web))
    .route('/', milestonePages(web))
    .route('/', hotelConsolePages(web))
    .route('/', roomingListPages(web))
    .route('/', briefPages(web))
    .route('/', consoleSupplierPages(web))
    .route('/', floorPlanPages(web))
    .route('/', companyListPages(web))
    .route('/', companyPages(web))
    .route('/', applicationListPages(web))
    .route('/', applicationPages(web))
    .route('/', leadListPages(web))
    .route('/', proposalPages(web))
    .route('/', programSessionPages(web))
    .route('/', newSessionPages(web))
    .route('/', proposalPage(web))
    .route('/', funnelPages(web))
    .route('/', peoplePages(web))
    .route('/', peopleExport(web))
    .route('/', eventSearchPages(web))
    .route('/', waitlistPages(web))
    .route('/', surveyConsolePages(web))
    .route('/', emailPages(web))
    .route('/', emailEditPages(web))
    .route('/', groupListPages(web))
    .route('/', groupEditPages(web))
    .route('/', groupPages(web))
    .route('/', groupMemberActions(web))
    .route('/', groupInviteActions(web))
    .route('/', personPages(web))
    .route('/', personInvoices(web))
    .route('/', personBadges(web))
    .route('/', reportListPages(web))
    .route('/', exportPages(web))
    .route('/', reportFilePages(web))
    .route('/', reportPages(web))
    .route('/', designedReportPages(web))
    .route('/', moneyPages(web))
    .route('/', openInvoicePages(web))
    .route('/', moneyExport(web))
    .route('/', moneyDocuments(web))
    .route('/', recordPaymentPages(web))
    .route('/', orderMoneyPages(web))
    .route('/', personEditPages(web))
    .route('/', personCancelPages(web))
    .route('/', personSubstitutePages(web))
    .route('/', settingsPages(web))
    .route('/', userPages(web))
    .route('/', memberPages(web))
    .route('/', apiAccountPages(web))
    .route('/', apiAccountPage(web))
    .route('/', webhookPages(web))
    .route('/', webhookPage(web))
    .route('/', ownAccountPages(web))
    .route('/', secondFactorPages(web))
    .route('/', appPages(web))
    .route('/', memoryPages(web))
    .route('/', instructionPages(web))
    .route('/', mailboxPages(web))
    .route('/', auditPages(web))
    .route('/', auditExportRoutes(web))
    .route('/', jobPages(web))
    .route('/', connectPages(web))
    .route('/', consoleFeedbackPages(web))
    .route('/', docsFeedbackPages(web))
    .route('/', coverPages(web))
    .route('/', agendaPages(web))
    .route('/', sessionPages(web))
    .route('/', callForPapersPages(web))
    .route('/', speakerPages(web))
    .route('/', eventHomePages(web))
    .route('/', embedPages())
    .route('/', startPages(web))
    .route('/', invitedPages(web))
    .route('/', summaryPages(web))
    .route('/', payReturnPages(web))
    .route('/', donePages(web))
    .route('/', flowPages(web))
    .route('/', personSignInPages(web))
    .route('/', sandboxPages(web))
    .route('/', badgePages(web))
    .route('/', newSignInPages(web, GROUP_ADMIN_AREA))
    .route('/', groupHomePages(web))
    .route('/', groupAddPages(web))
    .route('/', groupMemberPages(web))
    .route('/', groupInvitePages(web))
    .route('/', groupJoinCodePages(web))
    .route('/', groupDocumentPages(web))
    .route('/', groupJoinPages(web))
    .route('/', boothOfferPages(web))
    .route('/', hotelPages(web))
    .route('/', supplierPages(web))
    .route('/', signPages(web))
    .route('/', reportLinkPages(web))
    .route('/', verifyPages(web))
    .route('/', surveyPages(web))
    .route('/', newSignInPages(web, BLOCK_REQUEST_AREA))
    .route('/', newBlockRequestPages(web))
    .route('/', blockRequestPages(web))
    .route('/', guestListPages(web))
    .route('/', giveBackPages(web))
    .route('/', newSignInPages(web, EXHIBITOR_AREA))
    .route('/', portalChoicePages(web))
    .route('/', portalOverviewPages(web))
    .route('/', portalLeadPages(web))
    .route('/', portalLeadCsvPages(web))
    .route('/', portalStaffPages(web))
    .route('/', portalDevicePages(web))
    .route('/', portalAppointmentPages(web))
    .route('/', portalCompanyPages(web))
    .route('/', portalDocumentPages(web))
    .route('/', ownOverviewPages(web))
    .route('/', ownCancelPages(web))
    .route('/', ownEditPages(web))
    .route('/', ownDocumentPages(web))
    .route('/', ownPayPages(web))
    .route('/', ownOfferPages(web))
    .route('/', ownRoomPages(web))
    .route('/', ownSharingPages(web))
    .route('/', doorPages(web))
    .route('/', scanPages(web))
    .route('/', documentationPages(web))
    .route('/', homePages(web))
}
