/** A refusal in SES's own terms: the exception's name, the HTTP status it travels with and SES's wording. */
export class SesError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, status: number, message: string) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** The request is malformed: SES answers 400 and accepts nothing of it. */
export const badRequest = (message: string) => new SesError('BadRequestException', 400, message);

/** The named thing does not exist. */
export const notFound = (message: string) => new SesError('NotFoundException', 404, message);
