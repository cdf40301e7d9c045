/** Which domain may use which. What is not named here may not be imported; the architecture test reads this and refuses cycles. */
export const DOMAIN_USES: Record<string, readonly string[]> = {
  tenancy: [],
  access: ['tenancy'],
  configuration: ['tenancy'],
  registration: ['tenancy'],
  files: [],
  messages: ['access', 'configuration'],
  'sign-in': ['access', 'tenancy', 'messages'],
  oauth: ['access', 'messages'],
  memories: ['access', 'tenancy'],
  directories: ['tenancy', 'configuration'],
  authoring: ['tenancy', 'access', 'configuration', 'directories', 'registration'],
  feedback: [],
}
