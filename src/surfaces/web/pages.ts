import { Hono } from 'hono'
import { createOauthEndpoints } from '../oauth/endpoints.ts'
import { assetPages } from './assets.ts'
import { apiAccountDetailPages } from './console/account.tsx'
import { apiAccountPages } from './console/accounts.tsx'
import { connectedAppPages } from './console/apps.tsx'
import { auditExportRoutes } from './console/audit/export.ts'
import { auditPages } from './console/audit/pages.tsx'
import { setupChecklistPages } from './console/checklist.tsx'
import { assistantConnectionPages } from './console/connect.tsx'
import { eventDraftPages } from './console/event/draft.tsx'
import { registrationFunnelPages } from './console/event/funnel.tsx'
import { eventCreationPages } from './console/event/new-event.tsx'
import { eventOverviewPages } from './console/event/overview.tsx'
import { eventProductPages } from './console/event/products.tsx'
import { onsitePages } from './console/event/onsite.tsx'
import { audiencePages } from './console/reports/audience.tsx'
import { versionRestorePages } from './console/event/restore.tsx'
import { configVersionPages } from './console/event/versions.tsx'
import { eventListPages } from './console/events.tsx'
import { backgroundJobPages } from './console/jobs.tsx'
import { mailboxPages } from './console/mailbox.tsx'
import { hotelConsolePages } from './console/housing/hotel.tsx'
import { roomingListPages } from './console/housing/rooming-lists.tsx'
import { housingPages } from './console/housing/overview.tsx'
import { responseComparisonPages } from './console/sourcing/compare.tsx'
import { rfpResponsePages } from './console/sourcing/rfp-response.tsx'
import { contractPages } from './console/sourcing/contracts.tsx'
import { awardProposalPages } from './console/sourcing/propose.tsx'
import { contractSigningPages } from './console/sourcing/signers.tsx'
import { rfpPages } from './console/sourcing/rfps.tsx'
import { contractMilestonePages } from './console/sourcing/milestones.tsx'
import { assistantInstructionPages } from './console/instructions.tsx'
import { memberPages } from './console/member.tsx'
import { assistantMemoryPages } from './console/memory.tsx'
import { moneyDocumentRoutes } from './console/money/documents.ts'
import { moneyExportRoutes } from './console/money/export.ts'
import { eventExportPages } from './console/reports/export-page.tsx'
import { reportFilePages } from './console/reports/report-file.ts'
import { reportListPages } from './console/reports/report-list.tsx'
import { designedReportPages } from './console/reports/pages.tsx'
import { reportPages } from './console/reports/report-page.tsx'
import { moneyPages, unpaidInvoicePages } from './console/money/money-page.tsx'
import { orderMoneyPages } from './console/money/order-pages.tsx'
import { paymentRecordingPages } from './console/money/record.tsx'
import { ownAccountPages } from './console/own-account.tsx'
import { participantCancellationPages } from './console/people/cancel.tsx'
import { participantEditPages } from './console/people/edit.tsx'
import { participantExportRoutes } from './console/people/export.ts'
import { participantBadgeRoutes } from './console/people/badge.ts'
import { participantInvoiceRoutes } from './console/people/invoice.ts'
import { participantListPages } from './console/people/list.tsx'
import { emailEditPages } from './console/emails/edit.tsx'
import { emailPages } from './console/emails/pages.tsx'
import { floorPlanPages } from './console/floor/pages.tsx'
import { applicationPages } from './console/exhibitors/application.tsx'
import { applicationListPages } from './console/exhibitors/applications.tsx'
import { companyListPages } from './console/exhibitors/companies.tsx'
import { companyPages } from './console/exhibitors/company.tsx'
import { leadListPages } from './console/exhibitors/leads.tsx'
import { sessionCreationPages } from './console/program/new-session.tsx'
import { proposalDetailPages } from './console/program/proposal.tsx'
import { proposalPages } from './console/program/proposals.tsx'
import { programSessionPages } from './console/program/sessions.tsx'
import { groupEditPages } from './console/groups/edit.tsx'
import { groupInviteRoutes } from './console/groups/invites.tsx'
import { groupListPages } from './console/groups/list.tsx'
import { groupMemberRoutes } from './console/groups/members.tsx'
import { groupPages } from './console/groups/page.tsx'
import { surveyConsolePages } from './console/surveys/pages.tsx'
import { eventSearchPages } from './console/event/search.tsx'
import { waitlistPages } from './console/waitlist/pages.tsx'
import { participantPages } from './console/people/person.tsx'
import { participantSubstitutionPages } from './console/people/substitute.tsx'
import { secondFactorPages } from './console/second-factor.tsx'
import { settingsPages } from './console/settings.tsx'
import { sourcingBriefPages } from './console/sourcing/briefs.tsx'
import { consoleSupplierPages } from './console/sourcing/suppliers.tsx'
import { installationSetupPages, redirectToSetupPage } from './console/setup.tsx'
import { userPages } from './console/users.tsx'
import { webhookDetailPages } from './console/webhook.tsx'
import { webhookPages } from './console/webhooks.tsx'
import { consentPages } from './oauth-consent/pages.tsx'
import { consoleFeedbackPages } from './feedback/console.tsx'
import { documentationPages } from './docs/pages.tsx'
import { docsFeedbackPages } from './feedback/docs.tsx'
import { coverImageRoutes } from './event/cover.ts'
import { agendaPages } from './program/agenda.tsx'
import { callForPapersPages } from './program/call-for-papers.tsx'
import { sessionPages } from './program/session.tsx'
import { speakerPages } from './program/speaker.tsx'
import { eventHomePages } from './event/home.tsx'
import { badgePages } from './event/badge.tsx'
import { registrationSignInPages, createSignInPages } from './event/sign-in.tsx'
import { sandboxPaymentPages } from './event/sandbox.tsx'
import { groupMemberCreationPages } from './group/add.tsx'
import { GROUP_ADMIN_SIGN_IN_AREA } from './group/group-access.tsx'
import { groupHomePages } from './group/home.tsx'
import { groupInvitePages } from './group/invite.tsx'
import { groupJoinCodePages } from './group/join-code.tsx'
import { portalAppointmentPages } from './exhibitor/appointments.tsx'
import { companyChoicePages } from './exhibitor/choose.tsx'
import { portalCompanyPages } from './exhibitor/company.tsx'
import { portalDevicePages } from './exhibitor/devices.tsx'
import { portalDocumentPages } from './exhibitor/invoices.tsx'
import { portalLeadCsvPages } from './exhibitor/leads-csv.ts'
import { portalLeadPages } from './exhibitor/leads.tsx'
import { portalOverviewPages } from './exhibitor/overview.tsx'
import { EXHIBITOR_SIGN_IN_AREA } from './exhibitor/portal-access.tsx'
import { portalStaffPages } from './exhibitor/staff.tsx'
import { boothOfferPages } from './event/booth-offer.tsx'
import { ROOM_REQUEST_SIGN_IN_AREA } from './housing-request/access.tsx'
import { blockRequestCreationPages } from './housing-request/new-request.tsx'
import { roomReleasePages } from './housing-request/give-back.tsx'
import { guestListPages } from './housing-request/guest-list.tsx'
import { blockRequestPages } from './housing-request/request.tsx'
import { groupJoinPages } from './group/join.tsx'
import { groupMemberPages } from './group/member.tsx'
import { groupDocumentPages } from './group/order.tsx'
import { registrationCancellationPages } from './registration/cancel.tsx'
import { registrationEditPages } from './registration/edit.tsx'
import { registrationDocumentPages } from './registration/documents.ts'
import { registrationOverviewPages } from './registration/overview.tsx'
import { registrationWaitlistOfferPages } from './registration/offers.tsx'
import { registrationPaymentPages } from './registration/pay.tsx'
import { registrationRoomPages } from './registration/rooms.tsx'
import { registrationSharingPages } from './registration/sharing.tsx'
import { productHomePages } from './home/pages.tsx'
import { hotelPages } from './hotel/pages.tsx'
import { supplierPages } from './supplier/pages.tsx'
import { reportLinkPages } from './report/report-link-pages.tsx'
import { documentSigningPages } from './signing/sign-pages.tsx'
import { surveyPages } from './survey/pages.tsx'
import { signatureVerificationPages } from './signing/verify-pages.tsx'
import { doorPages } from './door/pages.tsx'
import { leadScannerPages } from './scan/pages.tsx'
import { rejectNulInPath } from './error-pages.tsx'
import { registrationDonePages } from './register/done.tsx'
import { embedScriptRoutes } from './register/embed.ts'
import { inviteeVerificationPages } from './register/invited.tsx'
import { registrationFlowPages } from './register/flow-pages.tsx'
import { paymentReturnPages } from './register/pay-return.tsx'
import { registrationStartPages } from './register/start.tsx'
import { registrationSummaryPages } from './register/summary.tsx'
import { signInPages } from './sign-in/pages.tsx'
import { themePages } from './theme/pages.ts'
import type { WebServices, WebEnv } from './web.ts'

/** All HTML pages. The sign-in routes come before the console routes, which require a signed-in user. */
export function webPages(web: WebServices) {
  const setUpFirst = redirectToSetupPage(web)
  return new Hono<WebEnv>()
    .use(rejectNulInPath(web))
    .use('/console', setUpFirst)
    .use('/console/*', setUpFirst)
    .route('/', assetPages())
    .route('/', themePages())
    .route('/', createOauthEndpoints(web))
    .route('/', consentPages(web))
    .route('/', signInPages(web))
    .route('/', installationSetupPages(web))
    .route('/', eventListPages(web))
    .route('/', setupChecklistPages(web))
    .route('/', eventCreationPages(web))
    .route('/', eventOverviewPages(web))
    .route('/', eventDraftPages(web))
    .route('/', configVersionPages(web))
    .route('/', versionRestorePages(web))
    .route('/', eventProductPages(web))
    .route('/', onsitePages(web))
    .route('/', audiencePages(web))
    .route('/', housingPages(web))
    .route('/', rfpPages(web))
    .route('/', contractPages(web))
    .route('/', contractSigningPages(web))
    .route('/', rfpResponsePages(web))
    .route('/', responseComparisonPages(web))
    .route('/', awardProposalPages(web))
    .route('/', contractMilestonePages(web))
    .route('/', hotelConsolePages(web))
    .route('/', roomingListPages(web))
    .route('/', sourcingBriefPages(web))
    .route('/', consoleSupplierPages(web))
    .route('/', floorPlanPages(web))
    .route('/', companyListPages(web))
    .route('/', companyPages(web))
    .route('/', applicationListPages(web))
    .route('/', applicationPages(web))
    .route('/', leadListPages(web))
    .route('/', proposalPages(web))
    .route('/', programSessionPages(web))
    .route('/', sessionCreationPages(web))
    .route('/', proposalDetailPages(web))
    .route('/', registrationFunnelPages(web))
    .route('/', participantListPages(web))
    .route('/', participantExportRoutes(web))
    .route('/', eventSearchPages(web))
    .route('/', waitlistPages(web))
    .route('/', surveyConsolePages(web))
    .route('/', emailPages(web))
    .route('/', emailEditPages(web))
    .route('/', groupListPages(web))
    .route('/', groupEditPages(web))
    .route('/', groupPages(web))
    .route('/', groupMemberRoutes(web))
    .route('/', groupInviteRoutes(web))
    .route('/', participantPages(web))
    .route('/', participantInvoiceRoutes(web))
    .route('/', participantBadgeRoutes(web))
    .route('/', reportListPages(web))
    .route('/', eventExportPages(web))
    .route('/', reportFilePages(web))
    .route('/', reportPages(web))
    .route('/', designedReportPages(web))
    .route('/', moneyPages(web))
    .route('/', unpaidInvoicePages(web))
    .route('/', moneyExportRoutes(web))
    .route('/', moneyDocumentRoutes(web))
    .route('/', paymentRecordingPages(web))
    .route('/', orderMoneyPages(web))
    .route('/', participantEditPages(web))
    .route('/', participantCancellationPages(web))
    .route('/', participantSubstitutionPages(web))
    .route('/', settingsPages(web))
    .route('/', userPages(web))
    .route('/', memberPages(web))
    .route('/', apiAccountPages(web))
    .route('/', apiAccountDetailPages(web))
    .route('/', webhookPages(web))
    .route('/', webhookDetailPages(web))
    .route('/', ownAccountPages(web))
    .route('/', secondFactorPages(web))
    .route('/', connectedAppPages(web))
    .route('/', assistantMemoryPages(web))
    .route('/', assistantInstructionPages(web))
    .route('/', mailboxPages(web))
    .route('/', auditPages(web))
    .route('/', auditExportRoutes(web))
    .route('/', backgroundJobPages(web))
    .route('/', assistantConnectionPages(web))
    .route('/', consoleFeedbackPages(web))
    .route('/', docsFeedbackPages(web))
    .route('/', coverImageRoutes(web))
    .route('/', agendaPages(web))
    .route('/', sessionPages(web))
    .route('/', callForPapersPages(web))
    .route('/', speakerPages(web))
    .route('/', eventHomePages(web))
    .route('/', embedScriptRoutes())
    .route('/', registrationStartPages(web))
    .route('/', inviteeVerificationPages(web))
    .route('/', registrationSummaryPages(web))
    .route('/', paymentReturnPages(web))
    .route('/', registrationDonePages(web))
    .route('/', registrationFlowPages(web))
    .route('/', registrationSignInPages(web))
    .route('/', sandboxPaymentPages(web))
    .route('/', badgePages(web))
    .route('/', createSignInPages(web, GROUP_ADMIN_SIGN_IN_AREA))
    .route('/', groupHomePages(web))
    .route('/', groupMemberCreationPages(web))
    .route('/', groupMemberPages(web))
    .route('/', groupInvitePages(web))
    .route('/', groupJoinCodePages(web))
    .route('/', groupDocumentPages(web))
    .route('/', groupJoinPages(web))
    .route('/', boothOfferPages(web))
    .route('/', hotelPages(web))
    .route('/', supplierPages(web))
    .route('/', documentSigningPages(web))
    .route('/', reportLinkPages(web))
    .route('/', signatureVerificationPages(web))
    .route('/', surveyPages(web))
    .route('/', createSignInPages(web, ROOM_REQUEST_SIGN_IN_AREA))
    .route('/', blockRequestCreationPages(web))
    .route('/', blockRequestPages(web))
    .route('/', guestListPages(web))
    .route('/', roomReleasePages(web))
    .route('/', createSignInPages(web, EXHIBITOR_SIGN_IN_AREA))
    .route('/', companyChoicePages(web))
    .route('/', portalOverviewPages(web))
    .route('/', portalLeadPages(web))
    .route('/', portalLeadCsvPages(web))
    .route('/', portalStaffPages(web))
    .route('/', portalDevicePages(web))
    .route('/', portalAppointmentPages(web))
    .route('/', portalCompanyPages(web))
    .route('/', portalDocumentPages(web))
    .route('/', registrationOverviewPages(web))
    .route('/', registrationCancellationPages(web))
    .route('/', registrationEditPages(web))
    .route('/', registrationDocumentPages(web))
    .route('/', registrationPaymentPages(web))
    .route('/', registrationWaitlistOfferPages(web))
    .route('/', registrationRoomPages(web))
    .route('/', registrationSharingPages(web))
    .route('/', doorPages(web))
    .route('/', leadScannerPages(web))
    .route('/', documentationPages(web))
    .route('/', productHomePages(web))
}
