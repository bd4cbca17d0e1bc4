/** The limits of the provider's account. */
export interface AccountLimits {
  /** Messages a second. */
  maxSendRate: number;
  /** Messages in 24 hours; negative when unlimited. */
  max24HourSend: number;
  sentLast24Hours: number;
  /** Only verified recipients are mailed. */
  inSandbox: boolean;
  /** False when the provider has stopped the account. */
  sendingEnabled: boolean;
}
