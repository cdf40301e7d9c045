import { describeContract } from '../contract.ts'

describeContract('email')
