import { PERMISSIONS, permissionsOf, ROLES, type Role } from '../../../kernel/permissions.ts'

/** A short description of the purpose of each role. */
const PURPOSES: Record<Role, string> = {
  admin: 'everything, including users, API accounts and settings',
  manager: 'everything except users, API accounts and settings',
  registrar: 'registrations, on site, sessions',
  housing: 'hotels and room blocks',
  exhibits: 'exhibitors and the show floor',
  marketer: 'emails, campaigns and design',
  program: 'sessions and speakers',
  sourcing: 'venues, bids and contracts',
  finance: 'money, reports',
  onsite: 'check-in and badges',
  analyst: 'views everything except personal data, changes nothing',
}

export const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: `${role}: ${PURPOSES[role]}` }))

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
