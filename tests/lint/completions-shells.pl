#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# fish and zsh complete to the options and keys of the tables, too. What packaging/completions/generate writes is asked in the shells
# themselves: fish by complete -C, zsh at a terminal of its own.
use strict;
use warnings;
use Cwd;
use File::Temp;
use Test::More;

use lib 'tests/lint';
use Lint;

my $directory = File::Temp->newdir;
for my $shell (qw(fish zsh)) {
    plan skip_all => "lacks $shell" if system("$shell -c : 2>/dev/null") != 0;
}
for my $shell (qw(fish zsh)) {
    is(system("packaging/completions/generate $shell >$directory/$shell"), 0, "the completion for $shell");
}

# Of confine itself only what it lists is asked.
confine_that_lists($directory);
home_with_policy($directory);
delete $ENV{XDG_CONFIG_HOME};

sub words_of {
    open my $pipe, '-|', @_ or die "$_[0]: $!";
    chomp(my @words = <$pipe>);
    close $pipe or die "@_ failed";
    return @words;
}

my %complete = (
    fish => sub {
        return map { s/\t.*//r } words_of('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', "$directory/fish", $_[0]);
    },
    zsh => sub { return words_of('tests/lint/zsh-capture', "$directory/zsh", $_[0]) },
);

my (@options, @forms, @keys, %choices);
my $text = slurp('supervisor/options.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^OPTION\((?:'(.)'|0), (?:"([\w-]+)"|NULL), \w+, (\w+),.*?(NULL|"[^"]*")\)\s*$/mg) {
    my ($letter, $name, $action, $help) = ($1, $2, $3, $4);
    next if $help eq 'NULL' || $action =~ /^(log|manage|no_sandbox)$/; # those of other verbs
    push @{ $action eq 'form' ? \@forms : \@options }, defined $letter ? "-$letter" : (), defined $name ? "--$name" : ();
}
$text = slurp('policy/keys.def') =~ s{/\*.*?\*/}{}gsr;
while ($text =~ /^KEY\(\w+, (\w+), \w+, (\w+), (NULL|"[^"]*")/mg) {
    push @keys, $1;
    $choices{$1} = join ' ', sort split /\|/, $3 =~ tr/"//dr if $2 eq 'CHOICE';
}
ok(@options > 20 && @forms == 2 && @keys > 20 && keys %choices > 3, 'the tables are read');

for my $shell (sort keys %complete) {
    # In the order of bytes, each once, without what says that more comes, and without the modifier "-" that zsh offers for a command.
    my $is = sub {
        my ($line, $wanted, $why) = @_;
        my %seen;
        is(join(' ', sort grep { $_ ne "-" && !$seen{$_}++ } map { s{=$}{}r } $complete{$shell}->("confine $line")), $wanted, "$shell: $why");
    };
    my $like = sub {
        my ($line, $wanted, $why) = @_;
        like(join(' ', $complete{$shell}->("confine $line")), $wanted, "$shell: $why");
    };
    $is->('run -', join(' ', sort @options), 'the options');
    $is->('-', join(' ', sort @options, @forms, '--no-sandbox'), 'the first word may be a form, too');
    $is->('-q -', join(' ', sort @options, @forms), 'so may a later one, but for --no-sandbox');
    $is->('run -p ', join(' ', sort @keys), 'the keys');
    # Each value costs a shell; zsh takes its time.
    for my $key ($shell eq 'zsh' ? 'Base' : sort keys %choices) {
        my %value = map { s/^.*=//r => 1 } grep { !/=$/ } $complete{$shell}->("confine run -p $key=");
        is(join(' ', sort keys %value), $choices{$key}, "$shell: the values of $key");
    }
    $like->('', qr/^(?=.*\bMakefile\b)(?=.*\bdoctor\b).*\brun\b/, 'the verb, or a script');
    $is->('kill --', '--all --label --signal --system --user', 'the options of another verb');
    $is->('list --w', '--watch', 'and of one more');
    $is->("$_ ", join(' ', @LISTED), "$_ takes the ids of the runs there are") for qw(inspect kill);
    $is->("kill --signal=TERM $LISTED[0] b", $LISTED[1], 'kill takes one more');
    $is->('log --cause ti', 'timeout', 'a cause');
    $is->('policy ', 'check keys show trust', 'what policy does');
    $is->('policy check Makef', 'Makefile', 'policy check takes files');
    $like->('run --policy of', qr/\bof-mine\b/, 'the policies there are');
    $is->('run --uid roo', 'root', 'users');
    $like->('run -- env', qr/\benv\b/, 'the command');
    $is->('run -q --memory 1G -- cat Makef', 'Makefile', "and what it takes");
    $is->('-c x Makef', 'Makefile', 'the arguments of code may be files');
}
done_testing();
