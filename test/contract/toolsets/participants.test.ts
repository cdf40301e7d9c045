import { contractOf, PARTICIPANTS } from '../contract.ts'

contractOf('participants', PARTICIPANTS)
