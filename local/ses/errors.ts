/** An error answer of SES: the exception's name, its HTTP status and SES's message. */
export class SesError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, status: number, message: string) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** The request is malformed: SES answers 400 and accepts none of it. */
export const badRequest = (message: string) => new SesError('BadRequestException', 400, message);

/** The named resource does not exist. */
export const notFound = (message: string) => new SesError('NotFoundException', 404, message);
