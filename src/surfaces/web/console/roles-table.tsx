import { PERMISSIONS, permissionsOf, ROLES, type Role } from '../../../kernel/permissions.ts'

/** The purpose of each role, short enough for a select list on a phone. */
const PURPOSES: Record<Role, string> = {
  admin: 'everything',
  manager: 'all but users, settings',
  registrar: 'registrations, on site',
  housing: 'hotels, room blocks',
  exhibits: 'exhibitors, show floor',
  marketer: 'emails, design',
  program: 'sessions, speakers',
  sourcing: 'venues, contracts',
  finance: 'money, reports',
  onsite: 'check-in, badges',
  analyst: 'views, no personal data',
}

export const ROLE_OPTIONS = ROLES.map((role) => ({
  value: role,
  label: `${role.charAt(0).toUpperCase()}${role.slice(1)}: ${PURPOSES[role]}`,
}))

/** A matrix of all roles and permissions, generated from the definitions that the server enforces. */
export const RolesTable = () => (
  <div class="table-wrap" tabindex={0} role="region" aria-label="Permissions of each role">
    <table class="table matrix">
      <caption class="hidden">Permissions of each role</caption>
      <thead>
        <tr>
          <th scope="col">Permission</th>
          {ROLES.map((role) => (
            <th scope="col">{role}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {PERMISSIONS.map((permission) => (
          <tr>
            <th scope="row">
              <code>{permission}</code>
            </th>
            {ROLES.map((role) =>
              permissionsOf([role]).has(permission) ? (
                <td>✓</td>
              ) : (
                <td class="muted">
                  <span aria-hidden="true">·</span>
                  <span class="hidden">no</span>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
