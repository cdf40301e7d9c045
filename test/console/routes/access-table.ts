import type { Role } from '../../../src/kernel/permissions.ts'

/** `visitor` is not signed in; `stranger` administers another client of the same tenant; the others have that role at the whole client. */
export type RouteCaller = 'visitor' | 'stranger' | Role

/**
 * The expected status of each page, and of each valid form, by the roles of the specification. Written by hand, since it is the
 * requirement: the test rejects a route without a line and a line without a route.
 */
const ACCESS_TABLE = `
                                                              visitor stranger admin manager registrar housing exhibits marketer program sourcing finance onsite analyst
GET  /console                                                 303    200      200   200     200       200     200      200      200     200      200     200    200
POST /console/checklist/hide                                  303    303      303   303     303       303     303      303      303     303      303     303    303
GET  /console/events/new                                      303    200      200   200     403       403     403      403      403     403      403     403    403
POST /console/events/new                                      303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event                           303    404      200   200     200       200     200      200      200     200      200     200    200
GET  /console/events/:client/:event/search                    303    404      200   200     200       200     200      200      200     200      200     200    200
GET  /console/events/:client/:event/draft                     303    404      200   200     200       200     200      200      200     200      403     403    200
POST /console/events/:client/:event/draft/publish             303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/versions                  303    404      200   200     200       200     200      200      200     200      403     403    200
GET  /console/events/:client/:event/versions/:number          303    404      200   200     200       200     200      200      200     200      403     403    200
GET  /console/events/:client/:event/versions/:number/restore  303    404      200   200     403       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/versions/:number/restore  303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/products                  303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/housing                       303    404      200   200     200       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/housing/:hotel                303    404      200   200     200       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/housing/:hotel/lists/:list      303    404      200   200     200       200     403      403      403     403      200     403    403
POST /console/events/:client/:event/housing/:hotel/contacts       303    404      303   303     403       303     403      403      403     303      403     403    403
POST /console/events/:client/:event/housing/:hotel/list           303    404      303   303     403       303     403      403      403     303      403     403    403
POST /console/events/:client/:event/housing/:hotel/link           303    404      303   303     403       303     403      403      403     303      403     403    403
POST /console/events/:client/:event/housing/:hotel/revoke         303    404      303   303     403       303     403      403      403     303      403     403    403
POST /console/events/:client/:event/housing/:hotel/attestation    303    404      303   303     403       303     403      403      403     303      403     403    403
POST /console/events/:client/:event/housing/:hotel/override       303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/briefs                     303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/briefs/:brief              303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/events/:client/:event/briefs/:brief/lock         303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/briefs/:brief/unlock       303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/briefs/:brief/archive     303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/briefs/:brief/restore     303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/reports                    303    404      200   200     200       200     200      200      200     200      200     403    200
GET  /console/events/:client/:event/reports/:report            303    404      200   200     200       200     200      200      200     200      200     403    200
POST /console/events/:client/:event/reports/:report/delivery   303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/reports/export             303    404      200   200     200       200     200      200      200     403      200     403    200
POST /console/events/:client/:event/reports/export             303    404      303   303     303       303     303      303      303     403      303     403    303
POST /console/events/:client/:event/reports/:report/run        303    404      303   303     303       303     303      303      303     403      303     403    303
GET  /console/events/:client/:event/reports/runs/:run/file     303    404      200   404     404       404     404      404      404     404      404     403    404
POST /console/events/:client/:event/reports/runs/:run/cancel   303    404      303   404     404       404     404      404      404     404      404     403    404
GET  /console/events/:client/:event/rfps                       303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/rfps/:rfp                  303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/events/:client/:event/rfps/:rfp/times            303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/rfps/:rfp/cancel           303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/rfps/:rfp/answer           303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/rfps/:rfp/links            303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/rfps/:rfp/request.pdf      303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/rfps/:rfp/responses/:recipient 303    404      200   200     403       403     403      403      403     200      403     403    403
POST /console/events/:client/:event/rfps/:rfp/responses/:recipient 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/rfps/:rfp/compare          303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/rfps/:rfp/compare.xlsx     303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/events/:client/:event/rfps/:rfp/compare/scores   303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/rfps/:rfp/compare/award   303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/rfps/:rfp/compare/withdraw 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/rfps/:rfp/compare/propose 303    404      200   200     403       403     403      403      403     200      403     403    403
POST /console/events/:client/:event/rfps/:rfp/compare/propose 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/contracts                  303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/contracts/:contract        303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/contracts/:contract/contract.pdf 303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/events/:client/:event/contracts/:contract/contract.docx 303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/events/:client/:event/contracts/:contract/clause 303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/contracts/:contract/submit 303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/contracts/:contract/send   303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/contracts/:contract/redlines 303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/events/:client/:event/contracts/:contract/ready 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/contracts/:contract/sign 303    404      200   200     403       403     403      403      403     200      403     403    403
POST /console/events/:client/:event/contracts/:contract/sign 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/contracts/:contract/void 303    404      200   200     403       403     403      403      403     200      403     403    403
POST /console/events/:client/:event/contracts/:contract/void 303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/milestones                303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/events/:client/:event/milestones/:milestone     303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/events/:client/:event/audience                  303    404      200   200     200       200     200      200      200     403      200     403    200
POST /console/events/:client/:event/audience                  303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/onsite                    303    404      200   200     200       403     200      403      403     403      403     200    200
POST /console/events/:client/:event/onsite                    303    404      303   303     303       403     303      403      403     403      403     303    403
POST /console/events/:client/:event/onsite/:device/revoke     303    404      303   303     303       403     303      403      403     403      403     303    403
GET  /console/events/:client/:event/floor-plans               303    404      303   303   303   403   303   403   403   403   403   403   303
GET  /console/events/:client/:event/floor-plans/new           303    404      200   200   403   403   200   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/new           303    404      303   303   403   403   303   403   403   403   403   403   403
GET  /console/events/:client/:event/floor-plans/:plan         303    404      200   200   200   403   200   403   403   403   403   403   200
POST /console/events/:client/:event/floor-plans/:plan/publish 303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/copy    303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/archive 303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/findings 303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/layout  303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/scan    303    404      303   303   403   403   303   403   403   403   403   403   403
POST /console/events/:client/:event/floor-plans/:plan/booths/:booth 303    404      303   303   403   403   303   403   403   403   403   403   403
GET  /console/events/:client/:event/companies                 303    404      200   200   200   403   200   403   403   403   403   403   200
GET  /console/events/:client/:event/companies/:company        303    404      200   200   200   403   200   403   403   403   403   403   200
POST /console/events/:client/:event/companies/:company        303    404      303   303   403   403   303   403   403   403   403   403   403
GET  /console/events/:client/:event/applications              303    404      200   200   200   403   200   403   403   403   403   403   200
GET  /console/events/:client/:event/applications/:application 303    404      200   200   200   403   200   403   403   403   403   403   200
POST /console/events/:client/:event/applications/:application 303    404      303   303   403   403   303   403   403   403   403   403   403
GET  /console/events/:client/:event/leads                     303    404      200   200   200   403   200   403   403   403   403   403   200
GET  /console/events/:client/:event/program                   303    404      200   200   200   403   403   200   200   403   403   403   200
GET  /console/events/:client/:event/program/sessions          303    404      200   200   200   403   403   200   200   403   403   403   200
GET  /console/events/:client/:event/program/new               303    404      200   200   200   403   403   403   200   403   403   403   403
POST /console/events/:client/:event/program/new               303    404      303   303   303   403   403   403   303   403   403   403   403
POST /console/events/:client/:event/program/inform            303    404      303   303   403   403   403   403   303   403   403   403   403
GET  /console/events/:client/:event/program/:proposal         303    404      200   200   200   403   403   200   200   403   403   403   200
POST /console/events/:client/:event/program/:proposal/decide  303    404      303   303   303   403   403   403   303   403   403   403   403
POST /console/events/:client/:event/program/:proposal/schedule 303    404      303   303   303   403   403   403   303   403   403   403   403
POST /console/events/:client/:event/program/:proposal/unschedule 303    404      303   303   303   403   403   403   303   403   403   403   403
GET  /console/events/:client/:event/surveys                   303    404      200   200     200       200     200      200      200     200      200     403    200
GET  /console/events/:client/:event/surveys/:survey           303    404      200   200     200       200     200      200      200     200      200     403    200
POST /console/events/:client/:event/surveys/:survey/links     303    404      200   200     403       403     403      200      403     403      403     403    403
GET  /console/events/:client/:event/flows/:slug               303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/participants              303    404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/participants/export       303    404      200   200     200       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/participants/:id          303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/participants/:id/invoices/:file 303 404   200   200     200       200     200      403      403     403      200     403    403
GET  /console/events/:client/:event/participants/:id/badge.pdf 303   404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/participants/:id/resend   303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/participants/:id/edit     303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/participants/:id/edit     303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/participants/:id/cancel   303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/participants/:id/cancel   303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/participants/:id/substitute  303 404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/participants/:id/substitute  303 404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/waitlist                  303    404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/waitlist                  303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/groups                    303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/groups/new                303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/groups/new                303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/groups/:group             303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/groups/:group/invoices/:bill 303    404      200   200     200       200     200      403      403     403      200     403    403
GET  /console/events/:client/:event/groups/:group/members/:member 303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/groups/:group/members     303    404      303   303     303       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/groups/:group/invites     303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/groups/:group/edit        303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/groups/:group/edit        303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/groups/:group/delete      303    404      200   200     200       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/groups/:group/delete      303    404      303   303     303       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/emails                    303    404      200   200     200       403     403      200      403     403      403     403    200
GET  /console/events/:client/:event/emails/:email             303    404      200   200     200       403     403      200      403     403      403     403    200
GET  /console/events/:client/:event/emails/:email/html        303    404      200   200     200       403     403      200      403     403      403     403    200
GET  /console/events/:client/:event/emails/:email/edit        303    404      200   200     403       403     403      403      403     403      403     403    403
POST /console/events/:client/:event/emails/:email/edit        303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/events/:client/:event/participants/:id/money    303    404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/participants/:id/money    303    404      303   303     303       403     403      403      403     403      303     403    403
GET  /console/events/:client/:event/money                     303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/money/invoices            303    404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/money/export              303    404      200   200     200       200     200      200      200     403      200     200    200
GET  /console/events/:client/:event/money/documents/:file     303    404      200   200     200       200     200      403      403     403      200     403    403
GET  /console/events/:client/:event/money/record              303    404      200   200     200       403     403      403      403     403      200     403    403
POST /console/events/:client/:event/money/record              303    404      303   303     303       403     403      403      403     403      303     403    403
GET  /console/events/:client/:event/money/orders/:order       303    404      200   200     200       200     200      200      200     403      200     200    200
POST /console/events/:client/:event/money/orders/:order       303    404      303   303     303       403     403      403      403     403      303     403    403
GET  /console/clients/:code/settings                          303    404      200   200     403       403     403      403      403     403      403     403    200
POST /console/clients/:code/settings                          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/settings/logo                     303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/settings/assistants               303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/settings/active                   303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/settings/sourcing                  303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/users                             303    404      200   200     403       403     403      403      403     403      403     403    200
POST /console/clients/:code/users                             303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/users/staff/remove                303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/users/:user                       303    404      200   200     403       403     403      403      403     403      403     403    200
POST /console/clients/:code/users/:user/role                  303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/users/:user/remove                303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/users/:user/invite                303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/users/:user/disconnect            303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/accounts                          303    404      200   200     403       403     403      403      403     403      403     403    200
GET  /console/clients/:code/accounts/new                      303    404      200   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/accounts                          303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/accounts/:account                 303    404      200   200     403       403     403      403      403     403      403     403    200
POST /console/clients/:code/accounts/:account                 303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/accounts/:account/tokens          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/accounts/:account/tokens/revoke   303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/accounts/:account/active          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/accounts/:account/lift            303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/webhooks                          303    404      200   200     403       403     403      403      403     403      403     403    200
GET  /console/clients/:code/webhooks/new                      303    404      200   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/webhooks                          303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/webhooks/:webhook                 303    404      200   200     403       403     403      403      403     403      403     403    200
POST /console/clients/:code/webhooks/:webhook/test            303    404      200   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/webhooks/:webhook/status          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/webhooks/:webhook/secret          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/webhooks/:webhook/replay          303    404      303   403     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/webhooks/:webhook/delete          303    404      303   403     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/suppliers                          303    404      200   200     403       200     403      403      403     200      200     403    200
GET  /console/clients/:code/suppliers/new                      303    404      200   200     403       403     403      403      403     200      403     403    403
POST /console/clients/:code/suppliers/new                      303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/clients/:code/suppliers/:supplier                303    404      200   200     403       200     403      403      403     200      200     403    200
POST /console/clients/:code/suppliers/:supplier                303    404      303   303     403       403     403      403      403     303      403     403    403
POST /console/clients/:code/suppliers/:supplier/status         303    404      303   303     403       403     403      403      403     303      403     403    403
GET  /console/clients/:code/memory                            303    404      200   200     200       200     200      200      200     200      403     403    200
GET  /console/clients/:code/memory/new                        303    404      200   200     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/memory                            303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/memory/:memory                    303    404      200   200     200       200     200      200      200     200      403     403    200
POST /console/clients/:code/memory/:memory                    303    404      303   303     403       403     403      403      403     403      403     403    403
POST /console/clients/:code/memory/:memory/delete             303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/memory/instructions               303    404      200   200     200       200     200      200      200     200      403     403    200
GET  /console/clients/:code/memory/instructions/client        303    404      200   200     200       200     200      200      200     200      403     403    200
POST /console/clients/:code/memory/instructions/client        303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/clients/:code/memory/instructions/events/:event 303    404      200   200     200       200     200      200      200     200      403     403    200
POST /console/clients/:code/memory/instructions/events/:event 303    404      303   303     403       403     403      403      403     403      403     403    403
GET  /console/account                                         303    200      200   200     200       200     200      200      200     200      200     200    200
POST /console/account/name                                    303    303      303   303     303       303     303      303      303     303      303     303    303
POST /console/account/password                                303    303      303   303     303       303     303      303      303     303      303     303    303
POST /console/account/sessions/end                            303    303      303   303     303       303     303      303      303     303      303     303    303
GET  /console/account/second-factor                           303    200      200   200     200       200     200      200      200     200      200     200    200
POST /console/account/second-factor/begin                     303    303      303   303     303       303     303      303      303     303      303     303    303
POST /console/account/second-factor/confirm                   303    303      303   303     303       303     303      303      303     303      303     303    303
POST /console/account/second-factor/change                    303    303      303   303     303       303     303      303      303     303      303     303    303
GET  /console/account/apps                                    303    200      200   200     200       200     200      200      200     200      200     200    200
POST /console/account/apps/disconnect                         303    303      303   303     303       303     303      303      303     303      303     303    303
GET  /console/mailbox                                         303    200      200   200     200       200     200      200      200     200      200     200    200
GET  /console/mailbox/:id                                     303    404      200   200     200       404     404      200      404     404      404     404    200
GET  /console/mailbox/:id/html                                303    404      200   200     200       404     404      200      404     404      404     404    200
GET  /console/mailbox/:id/attachments/:position               303    404      200   200     200       404     404      200      404     404      404     404    200
GET  /console/audit                                           303    200      200   200     403       403     403      403      403     403      403     403    200
POST /console/audit/export                                    303    200      200   200     403       403     403      403      403     403      403     403    200
GET  /console/jobs                                            303    200      200   200     403       403     403      403      403     403      403     403    200
GET  /console/connect                                         303    200      200   200     200       200     200      200      200     200      200     200    200
GET  /console/feedback                                        303    200      200   200     200       200     200      200      200     200      200     200    200
POST /console/feedback                                        303    303      303   303     303       303     303      303      303     303      303     303    303
`

/** Routes that need no session, where roles do not matter: the expected status for a visitor, and for a signed-in user. */
const SESSIONLESS_TABLE = `
GET  /console/setup         404 404
POST /console/setup         404 404
GET  /console/sign-in       200 303
POST /console/sign-in       303 303
GET  /console/sign-in/totp  303 303
POST /console/sign-in/totp  303 303
GET  /console/forgot        200 200
POST /console/forgot        200 200
GET  /console/password      410 410
POST /console/password      303 303
POST /console/sign-out      303 303
`

export interface AccessRow<Column extends string = string> {
  /** The method and path of the route, as in the router, without parameter patterns. */
  route: string
  method: 'GET' | 'POST'
  path: string
  answers: Record<Column, number>
}

function rowsOf<Column extends string>(columns: readonly Column[], lines: readonly string[]): AccessRow<Column>[] {
  return lines.map((line) => {
    const [method, path, ...answers] = line.split(/\s+/)
    if (answers.length !== columns.length) throw new Error(`${line} has ${answers.length} answers, and there are ${columns.length} columns`)
    return {
      route: `${method} ${path}`,
      method: method as AccessRow['method'],
      path: path!,
      answers: Object.fromEntries(columns.map((column, at) => [column, Number(answers[at])])) as Record<Column, number>,
    }
  })
}

const linesIn = (text: string) => text.trim().split('\n')
const [HEAD, ...LINES] = linesIn(ACCESS_TABLE)

export const ROUTE_CALLERS = HEAD!.trim().split(/\s+/) as RouteCaller[]
export const ROUTE_ACCESS: readonly AccessRow<RouteCaller>[] = rowsOf(ROUTE_CALLERS, LINES)
export const SESSIONLESS_ROUTES: readonly AccessRow<'visitor' | 'signedIn'>[] = rowsOf(['visitor', 'signedIn'], linesIn(SESSIONLESS_TABLE))
