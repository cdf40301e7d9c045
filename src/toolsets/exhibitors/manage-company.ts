import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { cancelCompany } from '../../domains/exhibitors/company/cancel-company.ts'
import {
  COMPANY_ACTION_ARGUMENTS,
  COMPANY_EDIT_ARGUMENTS,
  COMPANY_FIELD_ARGUMENTS,
  COMPANY_FILTER_ARGUMENTS,
  COMPANY_RESULT_FIELDS,
} from '../../domains/exhibitors/company/company-shapes.ts'
import * as edit from '../../domains/exhibitors/company/edit-company.ts'
import { inviteCompanies } from '../../domains/exhibitors/company/invite.ts'
import { mergeCompanies } from '../../domains/exhibitors/company/merge-companies.ts'
import { describeCompany, describeCompanyById, findCompany, listCompanies } from '../../domains/exhibitors/company/read-company.ts'
import { moveStaffToMergedCompany } from '../../domains/registration/participant-rows.ts'

const names = <T extends object>(shape: T) => Object.keys(shape) as (keyof T & string)[]

export default multiActionEventTool({
  name: 'manage_company',
  title: 'Manage exhibitors',
  description:
    'Exhibitor accounts: list, get, create, update (logo, web address), set_competitors, invite, rotate_activation_code (fresh scanning app code), grant_licence, revoke_licence, adjust_points, merge duplicates, cancel; invite, merge and cancel cannot be undone: use dryRun first. Not for booth staff (use manage_exhibitors). Returns companies.',
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  area: 'exhibitors',
  input: { ...COMPANY_FILTER_ARGUMENTS, ...COMPANY_ACTION_ARGUMENTS, ...COMPANY_EDIT_ARGUMENTS },
  output: COMPANY_RESULT_FIELDS,
  // The activation code is left out of a dry run, because the real call generates another code.
  toPreview: ({ company }) => (company ? { company: { ...company, activationCode: null } } : {}),
  actions: (action) => ({
    list: action.read([], listCompanies, { takes: names(COMPANY_FILTER_ARGUMENTS) }),
    get: action.read([], async (ctx, input) => describeCompany(ctx, await findCompany(ctx, input), input.include), {
      takes: ['companyId', 'code', 'name', 'include'],
    }),
    create: action.change(['name'], edit.addCompany, { takes: names(COMPANY_FIELD_ARGUMENTS) }),
    update: action.change(['companyId'], edit.updateCompany, { takes: ['status', ...names(COMPANY_EDIT_ARGUMENTS)] }),
    set_competitors: action.change(['companyId', 'competitorIds'], (ctx, input) =>
      edit.changeCompetitors(ctx, input.companyId, input.competitorIds),
    ),
    invite: action.change(['companyIds'], inviteCompanies, { takes: ['message'], also: ['email.send'] }),
    rotate_activation_code: action.change(['companyId'], (ctx, { companyId }) => edit.rotateActivationCode(ctx, companyId)),
    grant_licence: action.change(['companyId', 'productCode', 'seats', 'reason'], edit.grantCompanyLeadLicence),
    revoke_licence: action.change(['licenceId'], (ctx, { licenceId }) => edit.revokeCompanyLicence(ctx, licenceId)),
    adjust_points: action.change(['companyId', 'points', 'reason'], edit.adjustCompanyPriorityPoints),
    merge: action.change(['keepId', 'dropId'], async (ctx, input) => {
      const { keep, moved } = await mergeCompanies(ctx, input)
      await moveStaffToMergedCompany(ctx, input.dropId, keep.id)
      return { ...(await describeCompanyById(ctx, keep.id)), moved, changed: ['merged'] }
    }),
    cancel: action.change(['companyId', 'reason'], cancelCompany),
  }),
})
