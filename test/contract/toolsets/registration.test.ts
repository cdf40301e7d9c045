import { contractOf } from '../contract.ts'

contractOf('registration')
